#include "os/file_list.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(FileList, IsSortedAndLeavesOutHiddenFiles) {
  const std::string folder = testing::TempDir() + "file_list";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/worker");
  std::filesystem::create_directories(folder + "/.git");
  for (const char* name : {"/b.yaml", "/a.yaml", "/worker/c.yaml", "/.hidden", "/.git/config"}) {
    std::ofstream(folder + name) << "x";
  }
  const auto files = list_files(folder, 10);
  ASSERT_TRUE(files.has_value());
  EXPECT_THAT(*files, testing::ElementsAre("a.yaml", "b.yaml", "worker/c.yaml"));
  EXPECT_FALSE(list_files(folder, 2).has_value());
  EXPECT_FALSE(list_files(folder + "/none", 10).has_value());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ichor
