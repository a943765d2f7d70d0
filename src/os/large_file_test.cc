#include "os/large_file.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/temp_dir.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class LargeFileTest : public ::testing::Test {
 protected:
  LargeFileTest() : dir_(*make_temp_dir("large-file")) {}
  ~LargeFileTest() override { fs::remove_all(dir_); }

  std::string path(const std::string& name) const { return dir_ + "/" + name; }
  Folder folder() const { return *Folder::make(dir_, Folder::Access::shared); }
  static unsigned mode(const std::string& path) {
    struct stat facts {};
    EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 07777;
  }

  std::string dir_;
};

TEST_F(LargeFileTest, ADraftHasItsNameOnlyWhenItIsKept) {
  auto draft = make_draft(folder(), "snap.db");
  ASSERT_TRUE(draft);
  ASSERT_TRUE((*draft)->take("half "));
  EXPECT_EQ(mode(path("snap.db.part")), 0600u);
  EXPECT_FALSE(fs::exists(path("snap.db")));
  ASSERT_TRUE((*draft)->take("whole"));
  EXPECT_EQ((*draft)->size(), 10u);
  EXPECT_EQ(*(*draft)->read(5, 5), "whole");
  ASSERT_TRUE((*draft)->keep());
  EXPECT_EQ(mode(path("snap.db")), 0600u);
  EXPECT_FALSE(fs::exists(path("snap.db.part")));
  const auto file = open_large_file(path("snap.db"));
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->size(), 10u);
  EXPECT_EQ(*(*file)->read(0, 4), "half");
  EXPECT_FALSE((*file)->read(6, 5)) << "beyond the end";
}

TEST_F(LargeFileTest, ADraftThatIsNotKeptLeavesNothing) {
  {
    auto draft = make_draft(folder(), "snap.db");
    ASSERT_TRUE(draft);
    ASSERT_TRUE((*draft)->take("half"));
  }
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(LargeFileTest, WhatAKilledProcessLeftIsStartedAgain) {
  std::ofstream(path("snap.db.part")) << "of another time";
  auto draft = make_draft(folder(), "snap.db");
  ASSERT_TRUE(draft);
  ASSERT_TRUE((*draft)->keep());
  EXPECT_EQ(fs::file_size(path("snap.db")), 0u);
}

TEST_F(LargeFileTest, AFileThatAppearedMeanwhileIsLeftAlone) {
  auto draft = make_draft(folder(), "snap.db");
  ASSERT_TRUE(draft);
  std::ofstream(path("snap.db")) << "mine";
  const auto kept = (*draft)->keep();
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, Errc::invalid);
  EXPECT_EQ(fs::file_size(path("snap.db")), 4u);
}

TEST_F(LargeFileTest, OnlyRegularFilesAreOpenedAndRemoved) {
  fs::create_directory(path("folder"));
  EXPECT_FALSE(open_large_file(path("folder")));
  EXPECT_FALSE(open_large_file(path("missing")));
  const auto removed = remove_file(folder(), "folder");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Errc::unsafe);
  EXPECT_TRUE(remove_file(folder(), "missing"));
  std::ofstream(path("old")) << "x";
  ASSERT_TRUE(remove_file(folder(), "old"));
  EXPECT_FALSE(fs::exists(path("old")));
}

}  // namespace
}  // namespace ichor
