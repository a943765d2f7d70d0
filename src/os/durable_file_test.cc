#include "os/durable_file.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/temp_dir.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// Files under a umask that would let everybody read them.
class DurableFileTest : public ::testing::Test {
 protected:
  DurableFileTest() : old_umask_(umask(0)), dir_(*make_temp_dir("durable-file")) {}
  ~DurableFileTest() override {
    fs::remove_all(dir_);
    umask(old_umask_);
  }

  std::string path(const std::string& name) const { return dir_ + "/" + name; }
  static unsigned mode(const std::string& path) {
    struct stat facts {};
    EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 07777;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Folder folder() const {
    auto opened = Folder::make(path("state"), Folder::Access::owner_only);
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }

  mode_t old_umask_;
  std::string dir_;
};

TEST_F(DurableFileTest, WritesSecretsForTheOwnerOnly) {
  const Folder state = folder();
  ASSERT_TRUE(write_file(state, "secrets.yaml", SecretString("token")));
  EXPECT_EQ(mode(path("state")), 0700u);
  EXPECT_EQ(mode(path("state/secrets.yaml")), 0600u);
  EXPECT_EQ(content(path("state/secrets.yaml")), "token");
}

TEST_F(DurableFileTest, TakesAwayTheRightsOfOthers) {
  fs::create_directory(path("state"));
  std::ofstream(path("state/talosconfig")) << "same";
  ASSERT_EQ(mode(path("state")), 0777u);
  ASSERT_EQ(mode(path("state/talosconfig")), 0666u);
  const Folder state = folder();
  ASSERT_TRUE(write_file(state, "talosconfig", SecretString("same")));
  EXPECT_EQ(mode(path("state")), 0700u);
  EXPECT_EQ(mode(path("state/talosconfig")), 0600u);
}

TEST_F(DurableFileTest, KeepsEveryFormerContentAsABackup) {
  const Folder state = folder();
  for (const char* text : {"one", "two", "two", "three"}) {
    ASSERT_TRUE(write_file(state, "kubeconfig", SecretString(text)));
  }
  EXPECT_EQ(content(path("state/kubeconfig")), "three");
  EXPECT_EQ(content(path("state/kubeconfig.bak")), "one");
  EXPECT_EQ(content(path("state/kubeconfig.bak.2")), "two");
  EXPECT_FALSE(fs::exists(path("state/kubeconfig.bak.3"))) << "the same content twice is no change";
  EXPECT_EQ(std::distance(fs::directory_iterator(path("state")), fs::directory_iterator()), 3)
      << "no temporary file is left";
}

TEST_F(DurableFileTest, CreatesAFileOnceAndNeverReplacesIt) {
  const Folder state = folder();
  EXPECT_TRUE(*create_file(state, "secrets.yaml", SecretString("first")));
  EXPECT_FALSE(*create_file(state, "secrets.yaml", SecretString("second")));
  EXPECT_EQ(content(path("state/secrets.yaml")), "first");
  EXPECT_EQ(mode(path("state/secrets.yaml")), 0600u);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("state")), fs::directory_iterator()), 1);
}

TEST_F(DurableFileTest, DoesNotFollowALinkOfAnotherUser) {
  const Folder state = folder();
  std::ofstream(path("victim")) << "precious";
  fs::create_symlink(path("victim"), path("state/kubeconfig"));
  const auto written = write_file(state, "kubeconfig", SecretString("evil"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::unsafe);
  EXPECT_EQ(content(path("victim")), "precious");

  fs::create_directory(path("real"));
  fs::create_directory_symlink(path("real"), path("linked"));
  EXPECT_EQ(Folder::make(path("linked"), Folder::Access::owner_only).error().code, Errc::unsafe);
}

TEST_F(DurableFileTest, TellsAMissingFileFromOneThatIsNotAFile) {
  const Folder state = folder();
  const auto missing = read_file(state, "secrets.yaml", 100);
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->has_value());
  ASSERT_EQ(::mkfifo(path("state/secrets.yaml").c_str(), 0600), 0);
  EXPECT_EQ(read_file(state, "secrets.yaml", 100).error().code, Errc::unsafe)
      << "and does not hang";
  EXPECT_EQ(read_file(state, "../victim", 100).error().code, Errc::unsafe);
}

TEST_F(DurableFileTest, ReadsInputsUpToTheirLimit) {
  std::ofstream(path("ichor.yaml")) << std::string(100, 'x');
  EXPECT_EQ(read_input(path("ichor.yaml"), 100)->size(), 100u);
  EXPECT_THAT(read_input(path("ichor.yaml"), 99).error().message,
              HasSubstr("larger than 99 bytes"));
  EXPECT_THAT(read_input(path("absent"), 99).error().message, HasSubstr("No such file"));
  EXPECT_THAT(read_input(dir_, 99).error().message, HasSubstr("not a regular file"));
}

TEST_F(DurableFileTest, ReadsBelowAFolderAndNotBesideIt) {
  fs::create_directories(path("templates/part"));
  std::ofstream(path("templates/part/a.j2")) << "inside";
  std::ofstream(path("secret")) << "outside";
  fs::create_symlink("part/a.j2", path("templates/link"));
  fs::create_symlink("../secret", path("templates/way-out"));
  EXPECT_EQ(read_below(path("templates"), "part/a.j2", 100).value(), "inside");
  EXPECT_EQ(read_below(path("templates"), "link", 100).value(), "inside");
  EXPECT_EQ(read_below(path("templates"), "nope", 100).value(), std::nullopt);
  for (const char* name : {"way-out", "../secret"}) {
    const auto refused = read_below(path("templates"), name, 100);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Errc::unsafe) << name;
  }
}

TEST_F(DurableFileTest, ReplacesAFileWithoutABackup) {
  const Folder state = folder();
  ASSERT_TRUE(write_file(state, "patch.yaml", SecretString("plain")));
  ASSERT_TRUE(replace_file(state, "patch.yaml", SecretString("new")));
  EXPECT_EQ(content(path("state/patch.yaml")), "new");
  EXPECT_EQ(mode(path("state/patch.yaml")), 0600u);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("state")), fs::directory_iterator()), 1);
}

TEST_F(DurableFileTest, RefusesASecretThatOthersMayRead) {
  std::ofstream(path("age.key")) << "AGE-SECRET-KEY";
  const auto refused = read_secret_input(path("age.key"), 100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsafe);
  EXPECT_THAT(refused.error().message, HasSubstr("mode 0666"));
  ASSERT_EQ(::chmod(path("age.key").c_str(), 0600), 0);
  EXPECT_TRUE(read_secret_input(path("age.key"), 100));
}

TEST_F(DurableFileTest, SaysThatTheDiskIsFullAndLeavesTheOldFile) {
  const Folder state = folder();
  ASSERT_TRUE(write_file(state, "kubeconfig", SecretString("old")));
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit full{4, old.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  const auto written = write_file(state, "kubeconfig", SecretString("new and longer"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::io);
  EXPECT_EQ(content(path("state/kubeconfig")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(path("state")), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace ichor
