#include "os/file_artifacts.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/temp_dir.h"

namespace ichor {
namespace {

namespace fs = std::filesystem;

class FileArtifactsTest : public ::testing::Test {
 protected:
  FileArtifactsTest() : old_umask_(umask(0)), dir_(*make_temp_dir("artifacts")) {}
  ~FileArtifactsTest() override {
    fs::remove_all(dir_);
    umask(old_umask_);
  }

  mode_t old_umask_;
  std::string dir_;
};

TEST_F(FileArtifactsTest, KeepTheStateFolderPrivateAndOutOfGit) {
  const auto artifacts = FileArtifacts::make(dir_ + "/.ichor/infra");
  ASSERT_TRUE(artifacts) << artifacts.error().message;
  EXPECT_EQ(fs::status(dir_ + "/.ichor/infra").permissions(), fs::perms::owner_all);
  std::ifstream ignore(dir_ + "/.ichor/infra/.gitignore");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(ignore), {}), "*\n");
  EXPECT_TRUE(FileArtifacts::make(dir_ + "/.ichor/infra")) << "and once more";
}

TEST_F(FileArtifactsTest, GiveBackWhatWasWritten) {
  const auto artifacts = FileArtifacts::make(dir_ + "/state");
  ASSERT_TRUE(artifacts);
  EXPECT_FALSE((*artifacts)->read("kubeconfig").has_value());
  ASSERT_TRUE((*artifacts)->write("kubeconfig", SecretString("apiVersion: v1\n")));
  EXPECT_EQ((*artifacts)->read("kubeconfig")->reveal(), "apiVersion: v1\n");
}

TEST_F(FileArtifactsTest, DoNotMakeAFolderThatIsOnlyLookedAt) {
  EXPECT_EQ(FileArtifacts::open(dir_ + "/absent").error().code, Errc::invalid);
  EXPECT_FALSE(fs::exists(dir_ + "/absent"));
}

}  // namespace
}  // namespace ichor
