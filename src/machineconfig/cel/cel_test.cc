#include "machineconfig/cel/cel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor::cel {

namespace {

using testing::HasSubstr;

/// What is wrong with an expression, in one line; empty if nothing is.
std::string trouble(const std::string& text, Place place = Place::disk_selector, int minor = 12) {
  std::string all;
  for (const Problem& problem : check_expression(text, place, minor)) {
    all += std::to_string(problem.at) + ": " + problem.what + "; " + problem.fix + "\n";
  }
  return all;
}

TEST(Cel, SelectorsOfRealRepositoriesAreTaken) {
  EXPECT_EQ(trouble("disk.size >= 100u * GiB && disk.transport == 'nvme' && !disk.rotational"), "");
  EXPECT_EQ(trouble("!system_disk && disk.model.startsWith(\"Samsung\")"), "");
  EXPECT_EQ(trouble("disk.dev_path in ['/dev/sda', '/dev/sdb'] || glob('*NVME*', disk.model)"), "");
  EXPECT_EQ(trouble("disk.symlinks.exists(s, s.matches('^/dev/disk/by-id/'))"), "");
  EXPECT_EQ(
      trouble("volume.partition_label == 'DATA' && disk.size > 1u * TB", Place::volume_selector),
      "");
  EXPECT_EQ(trouble("mac(link.permanent_addr) == '00:1a:2b:3c:4d:5e'", Place::link_selector), "");
  EXPECT_EQ(trouble("memory_full_avg10 > 12.0 && time_since_trigger > duration('500ms')",
                    Place::oom_trigger),
            "");
  EXPECT_EQ(trouble("memory_max.hasValue() ? 0.0 : {Besteffort: 1.0, System: 0.0}[class] * "
                    "double(memory_current.orValue(0u))",
                    Place::oom_ranking),
            "");
}

TEST(Cel, AMistypedFieldComesWithTheNearestOne) {
  EXPECT_EQ(trouble("disk.siez > 1u"), "4: there is no field `siez`; did you mean \"size\"?\n");
  EXPECT_THAT(trouble("disc.size > 1u"), HasSubstr("did you mean \"disk\"?"));
  EXPECT_THAT(trouble("disk.model.startWith('a')"), HasSubstr("did you mean \"startsWith\"?"));
}

TEST(Cel, ASizeIsComparedWithAnUnsignedNumber) {
  EXPECT_EQ(trouble("disk.size > 1000"),
            "10: `>` cannot be used with uint and int; write a number that is compared with a size "
            "as 100u\n");
}

TEST(Cel, ASelectorMustGiveABool) {
  EXPECT_THAT(trouble("disk.size"), HasSubstr("gives uint, but must give bool"));
  EXPECT_THAT(trouble("dyn(true)"), HasSubstr("gives dyn"));
  EXPECT_THAT(trouble("class", Place::oom_ranking), HasSubstr("gives int, but must give double"));
}

TEST(Cel, NamesBelongToTheirPlace) {
  EXPECT_EQ(trouble("system_disk"), "");
  EXPECT_NE(trouble("system_disk", Place::volume_selector), "");
  EXPECT_NE(trouble("GiB > 1u", Place::link_selector), "");
  EXPECT_NE(trouble("disk.?model.hasValue()"), "");
}

TEST(Cel, VersionsDifferALittle) {
  EXPECT_NE(trouble("disk.`model` == ''", Place::disk_selector, 12), "");
  EXPECT_EQ(trouble("disk.`model` == ''", Place::disk_selector, 13), "");
  EXPECT_NE(trouble("link.vrf_master.table == 1", Place::link_selector, 12), "");
  EXPECT_EQ(trouble("link.vrf_master.table == 1", Place::link_selector, 13), "");
}

TEST(Cel, EveryMistakeIsReportedOnce) {
  EXPECT_EQ(check_expression("disk.a == 1 && disk.b == 2 && c", Place::disk_selector, 12).size(),
            3u);
}

TEST(Cel, WhatEndsTooEarlyIsRefusedWithItsPlace) {
  EXPECT_THAT(trouble("disk.size >"), HasSubstr("11: the expression ends too early"));
  EXPECT_THAT(trouble("(true"), HasSubstr("`)` is missing"));
  EXPECT_THAT(trouble("'abc"), HasSubstr("0: the text does not end"));
  EXPECT_THAT(trouble("disk.rotational = true"), HasSubstr("compare with `==`"));
}

TEST(Cel, DepthAndLengthAreLimited) {
  EXPECT_EQ(trouble(std::string(249, '(') + "true" + std::string(249, ')')), "");
  EXPECT_THAT(trouble(std::string(250, '(') + "true" + std::string(250, ')')),
              HasSubstr("levels deep"));
  EXPECT_THAT(trouble(std::string(100'001, '!')), HasSubstr("longer than"));
  EXPECT_NE(trouble(std::string(90'000, '[')), "");
}

}  // namespace

}  // namespace ichor::cel
