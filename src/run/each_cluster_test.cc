#include "run/each_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;

const ListedCluster kInfra{"infra", "talos/infra"};

CommonOptions options(std::string command) {
  CommonOptions common;
  common.command = std::move(command);
  return common;
}

TEST(WordsForOneCluster, NameItsProfileAndTheSharedKubeconfig) {
  EXPECT_THAT(words_for({"up", "--all", "--retries", "2"}, options("up"), kInfra),
              ElementsAre("up", "--retries", "2", "--profile", "talos/infra", "--cluster", "infra",
                          "--kubeconfig", "kubernetes/kubeconfig"));
  EXPECT_THAT(
      words_for({"up", "--cluster=infra,apps", "--kubeconfig", "k"}, options("up"), kInfra),
      ElementsAre("up", "--kubeconfig", "k", "--profile", "talos/infra", "--cluster", "infra"));
  EXPECT_THAT(words_for({"status", "--all"}, options("status"), kInfra),
              ElementsAre("status", "--profile", "talos/infra", "--cluster", "infra"));
}

TEST(WordsForOneCluster, GiveItFoldersOfItsOwn) {
  CommonOptions common = options("up");
  common.lab_state = "lab";
  common.state_dir = "state";
  EXPECT_THAT(
      words_for({"up", "--all", "--lab", "--lab-state", "lab", "--state-dir=state"}, common,
                kInfra),
      ElementsAre("up", "--lab", "--profile", "talos/infra", "--cluster", "infra", "--state-dir",
                  "state/infra", "--lab-state", "lab/infra", "--kubeconfig", "lab/kubeconfig"));
}

TEST(WordsForOneCluster, LeaveATemporaryLabItsOwnKubeconfig) {
  EXPECT_THAT(words_for({"up", "--all", "--lab"}, options("up"), kInfra),
              ElementsAre("up", "--lab", "--profile", "talos/infra", "--cluster", "infra"));
}

TEST(WordsForOneCluster, AskForJsonWhereProgramsRead) {
  CommonOptions common = options("status");
  common.output = OutputFormat::json;
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"-o", "json"}, {"-ojson"}, {"--output=json"}}) {
    std::vector<std::string> words = {"status"};
    words.insert(words.end(), form.begin(), form.end());
    EXPECT_THAT(words_for(words, common, kInfra),
                ElementsAre("status", "--profile", "talos/infra", "--cluster", "infra", "--output",
                            "json"));
  }
}

TEST(CommonExit, IsTheirOwnOnlyWhereAllAgree) {
  EXPECT_EQ(common_exit({0, 0, 0}), Exit::done);
  EXPECT_EQ(common_exit({3, 3}), Exit::findings);
  EXPECT_EQ(common_exit({0, 4}), Exit::failed);
  EXPECT_EQ(common_exit({}), Exit::failed);
}

}  // namespace
}  // namespace ichor
