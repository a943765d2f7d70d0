#include "os/machine_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/temp_dir.h"

namespace ichor {
namespace {

class MachineFilesTest : public ::testing::Test {
 protected:
  MachineFilesTest() : folder_(*make_temp_dir("ichor-test")) {}
  ~MachineFilesTest() override { remove_temp_dir(folder_); }

  MachineFiles files_{[](const std::string&) {}};
  std::string folder_;
};

TEST_F(MachineFilesTest, AFolderIsHeldByOneProcessAtATime) {
  constexpr int kWriters = 4;
  constexpr int kRounds = 25;
  const std::string file = folder_ + "/new/letters";
  std::vector<pid_t> writers;
  for (int i = 0; i < kWriters; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int round = 0; round < kRounds; ++round) {
        const auto held = files_.hold(file);
        if (!held) ::_exit(1);
        // A letter for each round: two that write at the same time would lose one.
        const std::string letters = files_.read_input(file).value_or("") + "x";
        if (!files_.export_secret(file, SecretString(letters))) ::_exit(2);
      }
      ::_exit(0);
    }
    writers.push_back(child);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_.read_input(file)->size(), std::size_t{kWriters * kRounds});
}

TEST_F(MachineFilesTest, AFolderThatCannotBeMadeIsNamed) {
  const auto held = files_.hold("/proc/nothing/file");
  ASSERT_FALSE(held.has_value());
  EXPECT_THAT(held.error().message, ::testing::HasSubstr("/proc/nothing"));
}

}  // namespace
}  // namespace ichor
