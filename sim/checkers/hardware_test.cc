#include "sim/checkers/hardware.h"

#include <gtest/gtest.h>

namespace ichor::sim {
namespace {

Identity machine() {
  Identity identity;
  identity.uuid = MachineUuid("5f6c9a3e-0000-4000-8000-000000000001");
  identity.serial = SerialNumber("SN-1");
  identity.macs = {MacAddress("52:54:00:00:00:01"), MacAddress("52:54:00:00:00:02")};
  return identity;
}

TEST(Hardware, IsDescribedByItsOwnIdentityWholeOrInPart) {
  EXPECT_TRUE(describes(machine(), machine()));
  Identity told = machine();
  told.macs.pop_back();
  told.serial = {};
  EXPECT_TRUE(describes(told, machine()));
  told.macs.clear();
  EXPECT_TRUE(describes(told, machine()));
}

TEST(Hardware, IsNotDescribedByACloneWithTheSameUuid) {
  Identity told = machine();
  told.macs = {MacAddress("52:54:00:00:00:03")};
  EXPECT_FALSE(describes(told, machine()));
}

TEST(Hardware, IsNotDescribedByAnotherUuidOrSerial) {
  Identity told = machine();
  told.uuid = MachineUuid("5f6c9a3e-0000-4000-8000-000000000002");
  EXPECT_FALSE(describes(told, machine()));
  told = machine();
  told.serial = SerialNumber("SN-2");
  EXPECT_FALSE(describes(told, machine()));
}

TEST(Hardware, IsNotDescribedByNothing) {
  EXPECT_FALSE(describes(Identity{}, machine()));
  Identity told;
  told.serial = machine().serial;
  EXPECT_FALSE(describes(told, machine()));
}

}  // namespace
}  // namespace ichor::sim
