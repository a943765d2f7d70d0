#include "phase/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machineconfig/canonical.h"
#include "secrets/digest.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kConfig = R"(version: v1alpha1
machine:
  type: worker
  token: wanted.secretsecret
  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.35.4
  sysctls:
    vm.swappiness: "1"
cluster:
  controlPlane:
    endpoint: https://192.0.2.100:6443
)";

class DriftTest : public testing::Test {
 protected:
  DriftTest() {
    plan_.name = NodeName("w1");
    profile_.nodes.push_back(plan_);
    profile_.talos.version = {1, 12, 6};
    profile_.talos.kubernetes_version = "1.35.4";
    want(kConfig);
    run(kConfig);
    live_.view.node = plan_.name;
    live_.view.presence = Presence::configured;
    live_.view.version = TalosVersion{1, 12, 6};
    live_.view.hardware = Hardware{};
  }
  void want(const std::string& text) {
    configs_.nodes[plan_.name] = {SecretString(text), pki::sha256(text), *canonical_digest(text),
                                  Role::worker};
  }
  void run(const std::string& text) {
    live_.config = SecretString(text);
    live_.view.config = *canonical_digest(text);
  }
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  }
  void applied(const std::string& text) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = Call::apply_configuration;
    record.node = plan_.name;
    record.seq = 3;
    record.value = to_hex(pki::sha256(text));
    facts_.fold(record, {});
  }
  /// "what: live -> wanted (changed)" of each.
  std::vector<std::string> reported() const {
    std::vector<std::string> texts;
    const auto found = find_drift(profile_, configs_, facts_, live_);
    for (const Drift& one : *found) {
      texts.push_back(one.what + ": " + one.live + " -> " + one.wanted +
                      (one.changed.empty() ? "" : " (" + one.changed + ")") +
                      (one.downgrade ? " downgrade" : ""));
    }
    return texts;
  }

  NodePlan plan_;
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  LiveNode live_;
};

TEST_F(DriftTest, NothingDiffers) { EXPECT_THAT(reported(), IsEmpty()); }

TEST_F(DriftTest, AnotherNotationIsNoDrift) {
  run(with(kConfig, "\"1\"", "'1'"));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(DriftTest, AChangeOnTheNodeIsNotAnEditOfTheProfile) {
  run(with(kConfig, "\"1\"", "\"60\""));
  EXPECT_THAT(reported(), ElementsAre("machine.sysctls.vm.swappiness: 60 -> 1"));
  applied(kConfig);
  EXPECT_THAT(reported(), ElementsAre("machine.sysctls.vm.swappiness: 60 -> 1 (node)"));
  applied("an older config");
  EXPECT_THAT(reported(), ElementsAre("machine.sysctls.vm.swappiness: 60 -> 1 (profile)"));
}

TEST_F(DriftTest, NoSecretIsShown) {
  run(with(kConfig, "wanted.secretsecret", "live.secretsecret"));
  EXPECT_THAT(reported(), ElementsAre("machine.token: (secret) -> (secret)"));
}

TEST_F(DriftTest, AnOlderImageInTheProfileIsADowngrade) {
  run(with(kConfig, "v1.35.4", "v1.36.1@sha256:0123"));
  ASSERT_EQ(reported().size(), 1u);
  EXPECT_THAT(reported()[0], HasSubstr("downgrade"));
  run(with(kConfig, "v1.35.4", "v1.34.2"));
  EXPECT_THAT(reported()[0], testing::Not(HasSubstr("downgrade")));
}

TEST_F(DriftTest, VersionAndSchematicOfTheImageAreCompared) {
  live_.view.version = TalosVersion{1, 13, 0};
  profile_.talos.schematic_id = "aaaa";
  live_.view.hardware->schematic = "bbbb";
  EXPECT_THAT(reported(), ElementsAre("Talos version: v1.13.0 -> v1.12.6 downgrade",
                                      "schematic: bbbb -> aaaa"));
  live_.view.hardware->container = true;
  EXPECT_EQ(reported().size(), 1u) << "a container has no image of its own";
}

TEST_F(DriftTest, WhatWasNotSeenIsNotCompared) {
  live_.view.presence = Presence::silent;
  live_.view.version = TalosVersion{1, 13, 0};
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(DriftTest, LabelsTaintsAndTheKubeletAreThoseOfTheNodeObject) {
  plan_.labels = {{"rack", "a"}, {"zone", "1"}};
  plan_.taints = {{"gpu", "", "NoSchedule"}};
  const KubeObject object = KubeObject::parse(R"({
    "metadata": {"name": "w1", "labels": {"rack": "b", "other": "x"}},
    "spec": {"taints": [{"key": "gpu", "effect": "NoExecute"}]},
    "status": {"nodeInfo": {"kubeletVersion": "v1.36.0"}}})");
  const std::vector<Drift> found = find_node_drift(profile_, plan_, object);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].what, "kubelet version");
  EXPECT_TRUE(found[0].downgrade);
  EXPECT_EQ(found[1].what + " " + found[1].live, "label rack b");
  EXPECT_EQ(found[2].what + " " + found[2].live, "label zone (none)");
  EXPECT_EQ(found[3].wanted, "gpu:NoSchedule");
}

TEST_F(DriftTest, AnObjectOfAnyShapeIsRead) {
  plan_.labels = {{"rack", "a"}};
  plan_.taints = {{"gpu", "", "NoSchedule"}};
  for (const char* text : {"{}", "[]", R"({"metadata": 1, "spec": [], "status": "x"})",
                           R"({"metadata": {"labels": {"rack": 7}}, "spec": {"taints": {}}})"}) {
    EXPECT_EQ(find_node_drift(profile_, plan_, KubeObject::parse(text)).size(), 2u) << text;
  }
}

}  // namespace
}  // namespace ichor
