#include "machineconfig/needed_release.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(NeededRelease, IsThatOfTheYoungestKind) {
  const NeededRelease needed = needed_release(
      "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n"
      "---\napiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a: b}\n");
  EXPECT_EQ(needed.minor, 14);
  EXPECT_EQ(needed.what, "the document SysctlConfig");
  EXPECT_EQ(needed_release("apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n").minor, 12);
}

TEST(NeededRelease, IsThatOfTheYoungestKey) {
  const NeededRelease needed = needed_release(
      "apiVersion: v1alpha1\nkind: TimeSyncConfig\nntp: {servers: [a.b], useNTS: true}\n");
  EXPECT_EQ(needed.minor, 14);
  EXPECT_EQ(needed.what, "TimeSyncConfig.ntp.useNTS");
}

TEST(NeededRelease, OfAnOldConfigIsNone) {
  EXPECT_EQ(needed_release("machine: {type: worker, install: {disk: /dev/sda}}\n").minor, 0);
  EXPECT_EQ(needed_release("{").minor, 0);
}

}  // namespace
}  // namespace ichor
