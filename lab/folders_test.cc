#include "lab/folders.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "lab/test_kit.h"
#include "os/temp_dir.h"

namespace ichor::lab {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

/// A folder as a lab leaves it.
class LabFolderTest : public testing::Test {
 protected:
  LabFolderTest() : folder_(*make_temp_dir("ichor-lab")) {
    for (const char* name : {"lab.json", "lock", ".gitignore", "cp1.machine.json", "kubeconfig"}) {
      write(name);
    }
    fs::create_directories(folder_ + "/ichor/infra");
    write("ichor/infra/lock");
    write("ichor/infra/journal.db");
  }
  ~LabFolderTest() override { remove_temp_dir(folder_); }

  void write(const std::string& name) { std::ofstream(folder_ + "/" + name) << "{}"; }

  bool listed() const {
    const std::vector<LabFolder> labs = find_labs({});
    return std::any_of(labs.begin(), labs.end(),
                       [&](const LabFolder& lab) { return lab.path == folder_; });
  }

  std::string folder_;
};

TEST_F(LabFolderTest, ATemporaryLabIsListedAndRemoved) {
  EXPECT_TRUE(listed());
  const auto lab = look_at_folder(folder_);
  ASSERT_TRUE(lab);
  EXPECT_TRUE(lab->temporary);
  EXPECT_FALSE(lab->runs);
  EXPECT_EQ(lab->machines, 1u);
  EXPECT_TRUE(remove_folder(folder_));
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(LabFolderTest, ALabThatAProcessHoldsStays) {
  const int lock = ::open((folder_ + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(look_at_folder(folder_)->runs);
  const auto removed = remove_folder(folder_);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Errc::locked);
  EXPECT_TRUE(fs::exists(folder_ + "/cp1.machine.json"));
  ::close(lock);
  EXPECT_TRUE(remove_folder(folder_));
}

TEST_F(LabFolderTest, ALabOnWhichARunWorksStays) {
  const int lock = ::open((folder_ + "/ichor/infra/lock").c_str(), O_RDWR | O_CLOEXEC);
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  ASSERT_EQ(::fcntl(lock, F_OFD_SETLK, &wanted), 0);
  const auto removed = remove_folder(folder_);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Errc::locked);
  EXPECT_TRUE(fs::exists(folder_ + "/ichor/infra/journal.db"));
  ::close(lock);
}

TEST_F(LabFolderTest, WhatNoLabHasMadeIsNeverRemoved) {
  write("thesis.md");
  const auto removed = remove_folder(folder_);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Errc::unsafe);
  EXPECT_THAT(removed.error().message, HasSubstr("thesis.md"));
  EXPECT_TRUE(fs::exists(folder_ + "/cp1.machine.json")) << "nothing of it is gone";
}

TEST_F(LabFolderTest, WhatNoLabHasMadeIsNeverRemovedFromItsFoldersEither) {
  for (const char* name : {"ichor/infra/thesis.md", "configs/thesis.md"}) {
    fs::create_directories(folder_ + "/configs");
    write(name);
    const auto removed = remove_folder(folder_);
    ASSERT_FALSE(removed);
    EXPECT_THAT(removed.error().message, HasSubstr(name));
    EXPECT_TRUE(fs::exists(folder_ + "/ichor/infra/journal.db")) << "nothing of it is gone";
    fs::remove(folder_ + "/" + name);
  }
}

TEST_F(LabFolderTest, ASlashOrADotAtTheEndNamesTheSameFolder) {
  EXPECT_TRUE(remove_folder(folder_ + "/."));
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(LabFolderTest, AnyOtherFolderIsNoLab) {
  fs::remove(folder_ + "/lab.json");
  EXPECT_FALSE(look_at_folder(folder_));
  EXPECT_FALSE(remove_folder(folder_));
  EXPECT_FALSE(listed());
  EXPECT_TRUE(fs::exists(folder_ + "/kubeconfig"));
  EXPECT_FALSE(remove_folder(folder_ + "/missing"));
}

TEST_F(LabFolderTest, ALinkToALabIsNotFollowed) {
  const std::string link = folder_ + ".link";
  fs::create_symlink(folder_, link);
  EXPECT_FALSE(remove_folder(link));
  EXPECT_TRUE(fs::exists(folder_ + "/lab.json"));
  EXPECT_FALSE(remove_folder(link + "/")) << "a slash at the end would follow it";
  EXPECT_TRUE(fs::exists(folder_ + "/lab.json"));
  fs::remove(link);
  // ichor makes no links, so a link in a lab belongs to the user, and so does its target.
  const std::string outside = *make_temp_dir("ichor-lab-outside");
  std::ofstream(outside + "/kept") << "x";
  fs::create_symlink(outside, folder_ + "/ichor/elsewhere");
  const auto removed = remove_folder(folder_);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Errc::unsafe);
  EXPECT_TRUE(fs::exists(outside + "/kept"));
  remove_temp_dir(outside);
}

TEST(LabFolders, ARealLabIsFoundWhileItRunsAndRemovedAfterwards) {
  TestLab world(1, 0);
  world.start();
  const std::string& folder = world.options.state_dir;
  const auto lab = look_at_folder(folder);
  ASSERT_TRUE(lab);
  EXPECT_TRUE(lab->runs);
  EXPECT_EQ(lab->pid, ::getpid());
  EXPECT_FALSE(remove_folder(folder));
  world.lab.reset();
  const auto removed = remove_folder(folder);
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace ichor::lab
