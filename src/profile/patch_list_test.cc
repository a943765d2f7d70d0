#include "profile/patch_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::ElementsAre;

ClusterProfile profile() {
  ClusterProfile profile;
  profile.talos.patches_dir = "patches";
  for (const char* name : {"cp1", "w1"}) {
    NodePlan node;
    node.name = NodeName(name);
    node.role = name[0] == 'c' ? Role::control_plane : Role::worker;
    profile.nodes.push_back(node);
  }
  return profile;
}

TEST(PatchList, AllThenRoleThenNode) {
  ClusterProfile cluster = profile();
  cluster.nodes[1].patches = {"mine.yaml"};
  std::vector<Finding> findings;
  const auto patches = list_patches(cluster,
                                    {"w1/disk.yaml", "worker/b.yaml", "global/z.yaml", "a.yaml.j2",
                                     "controller/cluster.yaml", "node/cp1/net.yaml", "README.md"},
                                    ProfileSource("p.yaml"), findings);
  EXPECT_TRUE(findings.empty());
  std::vector<std::string> names;
  for (const PatchFile& patch : patches) names.push_back(patch.path);
  EXPECT_THAT(names, ElementsAre("patches/a.yaml.j2", "patches/global/z.yaml",
                                 "patches/controller/cluster.yaml", "patches/worker/b.yaml",
                                 "patches/node/cp1/net.yaml", "patches/w1/disk.yaml", "mine.yaml"));
  EXPECT_TRUE(patches[0].is_template);
  EXPECT_TRUE(patches[2].scope.covers(cluster.nodes[0]));
  EXPECT_FALSE(patches[2].scope.covers(cluster.nodes[1]));
  EXPECT_FALSE(patches[4].scope.covers(cluster.nodes[1]));
  EXPECT_TRUE(patches[6].scope.covers(cluster.nodes[1]));
}

TEST(PatchList, APatchForNoNodeIsReported) {
  std::vector<Finding> findings;
  EXPECT_TRUE(list_patches(profile(), {"w9/disk.yaml"}, ProfileSource("p.yaml"), findings).empty());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().id, "patch.nobody");
}

/// The layout of the runbook: patches_dir/cp1.yaml is the patch of cp1.
TEST(PatchList, AFileNamedAfterANodeIsThePatchOfThatNode) {
  const ClusterProfile cluster = profile();
  std::vector<Finding> findings;
  const auto patches =
      list_patches(cluster, {"cp1.yaml", "w1.yaml.j2", "nodes/cp1.yml", "controlplane/cp1.json"},
                   ProfileSource("p.yaml"), findings);
  EXPECT_TRUE(findings.empty());
  ASSERT_EQ(patches.size(), 4u);
  for (const PatchFile& patch : patches) {
    const bool of_worker = patch.path == "patches/w1.yaml.j2";
    EXPECT_EQ(patch.scope.covers(cluster.nodes[0]), !of_worker) << patch.path;
    EXPECT_EQ(patch.scope.covers(cluster.nodes[1]), of_worker) << patch.path;
  }
}

TEST(PatchList, APatchThatLooksLikeThatOfANodeIsNotGivenToAll) {
  std::vector<Finding> findings;
  EXPECT_TRUE(list_patches(profile(), {"cp4.yaml"}, ProfileSource("p.yaml"), findings).empty());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().id, "patch.node");
  EXPECT_EQ(findings.front().severity, Severity::error);
}

TEST(PatchList, ANodeInTheFolderOfTheOtherRoleIsReported) {
  std::vector<Finding> findings;
  EXPECT_TRUE(
      list_patches(profile(), {"worker/cp1.yaml"}, ProfileSource("p.yaml"), findings).empty());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().id, "patch.nobody");
}

}  // namespace
}  // namespace ichor
