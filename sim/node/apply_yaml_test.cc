#include <gtest/gtest.h>

#include "sim/node/bench.h"
#include "sim/node/config_judge_yaml.h"
#include "sim/node/node.h"

namespace ichor::sim {
namespace {

/// A node that reads real YAML, asked with what the error table of real machined was made with.
class ApplyYaml : public testing::Test {
 protected:
  ApplyYaml() {
    node_.power_on();
    bench_.clock.run_for(std::chrono::minutes(2));
  }
  Refusal refusal(const std::string& config) {
    const auto reply = node_.apply(Bench::insecure, config, Node::ApplyMode::automatic, false);
    return reply ? Refusal{Code::ok, "accepted"} : reply.error();
  }

  Bench bench_;
  YamlJudge judge_;
  Node node_{bench_.clock, bench_.random, bench_.fabric, judge_, bench_.spec("cp1")};
};

TEST_F(ApplyYaml, GarbageInMaintenanceModeHasNoKind) {
  const Refusal said = refusal("garbage: true\n");
  EXPECT_EQ(said.code, Code::unknown);
  EXPECT_EQ(said.text,
            "failed to parse config: error decoding document /v1alpha1/ (line 1): missing kind");
}

TEST_F(ApplyYaml, ARefusedConfigLeavesTheNodeInMaintenanceMode) {
  refusal("garbage: true\n");
  bench_.clock.run_for(std::chrono::minutes(5));
  EXPECT_EQ(node_.stage(), Stage::maintenance);
  EXPECT_TRUE(node_.disk().config.empty());
}

}  // namespace
}  // namespace ichor::sim
