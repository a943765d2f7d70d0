#include "cluster/cluster_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_local_ports.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClusterListTest : public ::testing::Test {
 protected:
  std::vector<std::string> found() {
    const auto list = list_clusters(files_);
    EXPECT_TRUE(list.has_value()) << list.error().message;
    std::vector<std::string> words;
    for (const ListedCluster& cluster : list.value_or(std::vector<ListedCluster>())) {
      words.push_back(cluster.name + "=" + cluster.profile);
    }
    return words;
  }
  std::string refusal(const std::string& text) {
    files_.inputs["ichor-clusters.yaml"] = text;
    const auto list = list_clusters(files_);
    return list ? "" : list.error().message;
  }

  FakeFiles files_;
};

TEST_F(ClusterListTest, TheFileSaysWhichClustersThereAre) {
  files_.inputs["elsewhere/ichor.yaml"] = "name: elsewhere";
  files_.inputs["ichor-clusters.yaml"] =
      "clusters:\n  - {name: infra, profile: a/infra.yaml}\n  - {name: apps, profile: "
      "talos/apps}\n";
  EXPECT_THAT(found(), ElementsAre("infra=a/infra.yaml", "apps=talos/apps"));
}

TEST_F(ClusterListTest, WithoutItFoldersWithAProfileAndRoleFoldersAreClusters) {
  files_.inputs["home/ichor.yaml"] = "name: home";
  files_.inputs["clusters/lab/ichor.yaml"] = "name: lab";
  files_.inputs["talos/apps/controlplane/cp1.yaml"] = "machine: {}";
  files_.inputs["talos/machineconfig.yaml.j2"] = "machine: {}";
  files_.inputs["docs/README.md"] = "no cluster";
  EXPECT_THAT(found(), ElementsAre("home=home/ichor.yaml", "lab=clusters/lab/ichor.yaml",
                                   "apps=talos/apps"));
}

TEST_F(ClusterListTest, TwoFoldersOfOneNameAreNotGuessed) {
  files_.inputs["infra/ichor.yaml"] = "name: infra";
  files_.inputs["clusters/infra/ichor.yaml"] = "name: infra";
  const auto list = list_clusters(files_);
  ASSERT_FALSE(list.has_value());
  EXPECT_THAT(list.error().message, HasSubstr("clusters/infra/ichor.yaml"));
}

TEST_F(ClusterListTest, WhatIsWrongInTheFileIsNamedWithItsPlace) {
  EXPECT_THAT(refusal("clusters:\n  - {name: infra, profil: x}\n"),
              HasSubstr("ichor-clusters.yaml:2:19: a cluster has no key \"profil\"; did you mean "
                        "\"profile\"?"));
  EXPECT_THAT(refusal("clusters:\n  - {name: infra}\n"), HasSubstr(":2:5: infra has no profile"));
  EXPECT_THAT(refusal("clusters:\n  - {profile: x}\n"), HasSubstr("has no name"));
  EXPECT_THAT(refusal("clusters: 5\n"), HasSubstr("one key, `clusters:`"));
  EXPECT_THAT(refusal("clusters:\n  - {name: a, profile: x}\n  - {name: a, profile: y}\n"),
              HasSubstr(":3:5: a or its profile is in the list twice"));
  EXPECT_THAT(refusal("clusters:\n  - {name: 'a,b', profile: x}\n"), HasSubstr("comma"));
  EXPECT_THAT(refusal("clusters: [\n"), HasSubstr("ichor-clusters.yaml:"));
}

TEST(SelectClusters, TakesTheNamedOnesInTheOrderOfTheList) {
  const std::vector<ListedCluster> list = {{"infra", "i"}, {"apps", "a"}, {"lab", "l"}};
  EXPECT_EQ(select_clusters(list, {})->size(), 3u);
  const auto two = select_clusters(list, {"lab", "infra"});
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].name, "infra");
  EXPECT_EQ((*two)[1].name, "lab");
  const auto wrong = select_clusters(list, {"infra", "app"});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("did you mean \"apps\"?"));
  EXPECT_THAT(select_clusters({}, {}).error().message, HasSubstr("root of the repository"));
}

}  // namespace
}  // namespace ichor
