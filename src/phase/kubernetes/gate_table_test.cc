#include "phase/kubernetes/gate_table.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

namespace ichor {
namespace {

using ::testing::ElementsAre;

/// The rows of the table of gates in a document: "| `nodes` | …".
std::vector<std::string> gates_in(const char* path, const std::string& row) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::regex name(row);
  std::vector<std::string> names;
  for (std::sregex_iterator match(all.begin(), all.end(), name), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

std::vector<std::string> names_in_table() {
  std::vector<std::string> names;
  for (const GateRow& row : gate_table()) names.emplace_back(row.name);
  return names;
}

TEST(GateTable, IsWhatTheDocumentsList) {
  EXPECT_EQ(gates_in("docs/phases.md", R"(\n\| `([a-z-]+)` \| (?:wait|[0-3]))"), names_in_table());
}

TEST(GateTable, HasWhatTheHelpOfWaitNames) {
  const auto words = gates_in("docs/commands/wait.md", R"(\n- `([a-z-]+)(?: KIND/NAME)?`: )");
  ASSERT_FALSE(words.empty());
  for (const std::string& word : words) {
    const bool other = word == "object" || word == "etcd";
    EXPECT_TRUE(other || find_gate(word)) << word;
  }
}

TEST(GateTable, NamesEachGateOnceAndSaysWhatHolds) {
  std::set<std::string_view> names;
  const KubernetesPlan plan;
  for (const GateRow& row : gate_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
    const Gate gate = make_gate(row.name, {plan});
    EXPECT_EQ(gate.name, row.name);
    EXPECT_TRUE(gate.judge || gate.probe) << row.name;
  }
  EXPECT_EQ(find_gate("object"), nullptr);
}

TEST(GateTable, SaysWhichPhaseWaitsForWhat) {
  KubernetesPlan plan;
  EXPECT_THAT(gates_of_phase(0, plan), ElementsAre("namespaces"));
  EXPECT_THAT(gates_of_phase(1, plan), ElementsAre("crds"));
  EXPECT_THAT(gates_of_phase(2, plan), ElementsAre("nodes", "cilium", "coredns", "talos-services"));
  EXPECT_THAT(gates_of_phase(3, plan), ElementsAre("flux", "kustomizations"));
  plan.gates.coredns_deployment.clear();
  plan.gates.talos_services = false;
  plan.gates.csi_phase = 2;
  EXPECT_THAT(gates_of_phase(2, plan), ElementsAre("nodes", "cilium", "csi"));
  plan.gates.csi_phase = 3;
  EXPECT_THAT(gates_of_phase(3, plan), ElementsAre("csi", "flux", "kustomizations"));
}

}  // namespace
}  // namespace ichor
