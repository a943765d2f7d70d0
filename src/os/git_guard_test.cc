#include "os/git_guard.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/temp_dir.h"

namespace ichor {
namespace {

namespace fs = std::filesystem;

/// The repository of a user who keeps the cluster in git.
class GitGuardTest : public ::testing::Test {
 protected:
  GitGuardTest() : dir_(*make_temp_dir("git-guard")), repository_(dir_ + "/repository") {
    fs::create_directory(repository_);
    git({"init", "--quiet"});
    std::ofstream(repository_ + "/.gitignore") << "/kubernetes/kubeconfig\n.ichor/\n";
  }
  ~GitGuardTest() override { fs::remove_all(dir_); }

  void git(std::vector<std::string> words) {
    std::vector<char*> argv;
    words.insert(words.begin(), {"/usr/bin/git", "-C", repository_});
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    ASSERT_EQ(posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  std::string dir_, repository_;
};

TEST_F(GitGuardTest, RefusesAPlaceThatGitWouldSee) {
  const auto refused = refuse_committable(repository_ + "/admin.conf");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsafe);
}

TEST_F(GitGuardTest, TakesAPlaceThatIsIgnoredAlsoBeforeItsFolderExists) {
  EXPECT_TRUE(refuse_committable(repository_ + "/kubernetes/kubeconfig"));
  EXPECT_TRUE(refuse_committable(repository_ + "/.ichor/infra/secrets.yaml"));
}

TEST_F(GitGuardTest, TakesAPlaceOutsideOfAnyWorkTree) {
  EXPECT_TRUE(refuse_committable(dir_ + "/kubeconfig"));
}

TEST_F(GitGuardTest, RefusesAFileThatIsTrackedAlthoughItIsIgnored) {
  fs::create_directory(repository_ + "/kubernetes");
  std::ofstream(repository_ + "/kubernetes/kubeconfig") << "x";
  git({"add", "--force", "kubernetes/kubeconfig"});
  EXPECT_FALSE(refuse_committable(repository_ + "/kubernetes/kubeconfig"));
}

TEST_F(GitGuardTest, RefusesWhereGitCannotTell) {
  fs::remove_all(repository_ + "/.git");
  std::ofstream(repository_ + "/.git") << "gitdir: nowhere\n";
  EXPECT_FALSE(refuse_committable(repository_ + "/kubernetes/kubeconfig"));
}

TEST_F(GitGuardTest, LooksBehindLinks) {
  fs::create_directory_symlink(repository_, dir_ + "/link");
  EXPECT_FALSE(refuse_committable(dir_ + "/link/admin.conf"));
}

}  // namespace
}  // namespace ichor
