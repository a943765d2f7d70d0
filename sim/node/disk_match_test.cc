#include "sim/node/disk_match.h"

#include <gtest/gtest.h>

#include "machineconfig/disk_expression.h"

namespace ichor::sim {
namespace {

std::vector<Disk> disks() {
  Disk small;
  small.id = "sda";
  small.dev_path = "/dev/sda";
  small.size_bytes = 10'000'000'000;
  small.transport = "sata";
  small.serial = "A-1";
  Disk large = small;
  large.id = "nvme0n1";
  large.dev_path = "/dev/nvme0n1";
  large.size_bytes = 500'000'000'000;
  large.transport = "nvme";
  large.serial = "B-2";
  return {small, large};
}

std::string matched(std::string_view expression) {
  const std::vector<Disk> all = disks();
  const Disk* disk = match_disk(expression, all);
  return disk == nullptr ? "" : disk->id;
}

TEST(DiskMatch, KnowsWhatDiskSelectorsAreWrittenIn) {
  EXPECT_EQ(matched(R"(disk.dev_path == "/dev/sda")"), "sda");
  EXPECT_EQ(matched(R"(disk.transport == 'nvme' && !system_disk)"), "nvme0n1");
  EXPECT_EQ(matched("disk.size > 100u * GB"), "nvme0n1");
  EXPECT_EQ(matched("disk.size < 100u * GB || disk.size > 1u * TB"), "sda");
  EXPECT_EQ(matched(R"(glob("B-*", disk.serial) && disk.size >= 499u * GiB)"), "");
  EXPECT_EQ(matched(R"(!(disk.transport == "nvme") && disk.serial != "")"), "sda");
}

TEST(DiskMatch, TakesTheFirstOfSeveral) { EXPECT_EQ(matched("!disk.readonly"), "nvme0n1"); }

TEST(DiskMatch, DoesNotGuess) {
  EXPECT_EQ(matched("disk.nosuchfield == 'x'"), "");
  EXPECT_EQ(matched("disk.size"), "");
  EXPECT_EQ(matched("disk.size == 'x'"), "");
  EXPECT_EQ(matched("disk.dev_path.startsWith('/dev')"), "");
  EXPECT_EQ(matched("(disk.rotational"), "");
  EXPECT_EQ(matched(""), "");
}

TEST(DiskMatch, TakesWhatIchorWrites) {
  DiskSelector selector;
  selector.size = ">= 100GB";
  selector.type = "nvme";
  EXPECT_EQ(matched(disk_expression(selector)), "nvme0n1");
  EXPECT_EQ(matched(disk_expression(std::string("/dev/sda"))), "sda");
}

}  // namespace
}  // namespace ichor::sim
