#include "profile/role_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<RoleFile>& files) {
  std::vector<std::string> result;
  for (const RoleFile& file : files) {
    result.push_back(file.node.value() + (file.role == Role::worker ? " worker" : ""));
  }
  return result;
}

TEST(RoleFolders, FlatFilesBesideThemAreControlPlanes) {
  std::vector<Finding> findings;
  EXPECT_THAT(names(read_role_folders(
                  "talos/infra",
                  {"cp3.yaml", "worker/w1.yaml", "controlplane/cp1.yaml", "notes.md", "old/x.yaml"},
                  findings)),
              ElementsAre("cp3", "cp1", "w1 worker"));
  EXPECT_TRUE(findings.empty());
}

TEST(RoleFolders, ANodeHasOneFile) {
  std::vector<Finding> findings;
  read_role_folders("talos/infra", {"controlplane/a.yaml", "worker/a.yaml"}, findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().where, "talos/infra/worker/a.yaml:1:1");
  findings.clear();
  read_role_folders("talos/infra", {"worker/a.yaml"}, findings);
  EXPECT_EQ(findings.size(), 1u);
}

}  // namespace
}  // namespace ichor
