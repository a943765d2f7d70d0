#include "machineconfig/check_configs.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

MachineConfig config_of(const std::string& text) {
  MachineConfig config;
  config.bytes = SecretString(text);
  return config;
}

std::string ids_of(const std::vector<Finding>& findings) {
  std::string ids;
  for (const Finding& finding : findings) ids += finding.id + "(" + finding.node.value() + ") ";
  return ids;
}

TEST(CheckConfigs, TwoNodesWithOneHostnameAreFoundBeforeAnythingIsSent) {
  ConfigSet set;
  const std::string document = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ";
  set.nodes.emplace(NodeName("cp1"), config_of(document + "node\n"));
  set.nodes.emplace(NodeName("cp2"), config_of(document + "node\n"));
  set.nodes.emplace(NodeName("cp3"), config_of(document + "other\n"));
  const auto findings = check_configs({}, set);
  ASSERT_EQ(ids_of(findings), "config.duplicate(cp2) ");
  EXPECT_NE(findings[0].what.find("cp1"), std::string::npos);
}

TEST(CheckConfigs, WhatTalosWouldRefuseIsFoundOnce) {
  ConfigSet set;
  for (const char* name : {"cp1", "cp2"}) {
    set.nodes.emplace(NodeName(name), config_of("machine:\n  type: worker\n  kubelett: {}\n"));
  }
  EXPECT_EQ(ids_of(check_configs({}, set)), "config.invalid(cp1) ");
}

}  // namespace
}  // namespace ichor
