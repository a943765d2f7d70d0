#include "base/system_fault.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(SystemFault, TellsAFullDiskFromOneThatFails) {
  EXPECT_EQ(fault_of_errno(ENOSPC), FaultId("L3"));
  EXPECT_EQ(fault_of_errno(EDQUOT), FaultId("L3"));
  EXPECT_EQ(fault_of_errno(EROFS), FaultId("L3"));
  EXPECT_EQ(fault_of_errno(EIO), FaultId("L4"));
}

TEST(SystemFault, KnowsWhenDescriptorsAreUsedUp) {
  EXPECT_EQ(fault_of_errno(EMFILE), FaultId("L9"));
  EXPECT_EQ(fault_of_errno(ENFILE), FaultId("L9"));
}

TEST(SystemFault, NamesNoRowForWhatHasNone) { EXPECT_TRUE(fault_of_errno(EACCES).empty()); }

}  // namespace
}  // namespace ichor
