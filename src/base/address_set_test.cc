#include "base/address_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> all_of(const std::string& text) {
  const auto set = AddressSet::parse(text);
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  std::vector<std::string> addresses;
  for (std::uint64_t i = 0; set && i < set->size(); ++i) addresses.push_back(to_text(set->at(i)));
  return addresses;
}

std::string why_not(const std::string& text) {
  const auto set = AddressSet::parse(text);
  return set ? "" : set.error().message;
}

TEST(AddressSet, ANetworkHasNoMachineAtItsFirstAndLastAddress) {
  EXPECT_THAT(all_of("192.168.20.0/30"), ElementsAre("192.168.20.1", "192.168.20.2"));
  EXPECT_THAT(all_of("192.168.20.7/30"), ElementsAre("192.168.20.5", "192.168.20.6"));
}

TEST(AddressSet, TheSmallestNetworksAreWhole) {
  EXPECT_THAT(all_of("10.0.0.4/31"), ElementsAre("10.0.0.4", "10.0.0.5"));
  EXPECT_THAT(all_of("10.0.0.4/32"), ElementsAre("10.0.0.4"));
  EXPECT_THAT(all_of("fd00::8/126"), ElementsAre("fd00::8", "fd00::9", "fd00::a", "fd00::b"));
}

TEST(AddressSet, ARangeHasBothEndsAndMayNameItsLastNumberOnly) {
  EXPECT_THAT(all_of("10.0.0.254-10.0.1.1"),
              ElementsAre("10.0.0.254", "10.0.0.255", "10.0.1.0", "10.0.1.1"));
  EXPECT_THAT(all_of("10.0.0.5-7"), ElementsAre("10.0.0.5", "10.0.0.6", "10.0.0.7"));
  EXPECT_THAT(all_of("fd00::ffff-fd00::1:0"), ElementsAre("fd00::ffff", "fd00::1:0"));
}

TEST(AddressSet, WhatOverlapsIsThereOnceAndInOrder) {
  EXPECT_THAT(all_of("fd00::1, 10.0.0.9,10.0.0.5-7,10.0.0.6-8"),
              ElementsAre("10.0.0.5", "10.0.0.6", "10.0.0.7", "10.0.0.8", "10.0.0.9", "fd00::1"));
}

TEST(AddressSet, ASixteenIsTheLargestNetwork) {
  const auto largest = AddressSet::parse("10.7.0.0/16");
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->size(), 65'534u);
  EXPECT_EQ(to_text(largest->at(0)), "10.7.0.1");
  EXPECT_EQ(to_text(largest->at(65'533)), "10.7.255.254");
  EXPECT_THAT(why_not("10.0.0.0/15"), HasSubstr("at most a /16"));
  EXPECT_THAT(why_not("fd00::/64"), HasSubstr("at most a /112"));
  EXPECT_THAT(why_not("10.0.0.0-10.1.0.0"), HasSubstr("at most 65536"));
  EXPECT_THAT(why_not("fd00::-fd01::"), HasSubstr("at most 65536"));
}

TEST(AddressSet, AllPartsTogetherHaveALimitToo) {
  EXPECT_EQ(why_not("10.0.0.0/16,10.1.0.0/16,10.2.0.0/16,10.3.0.0/16"), "");
  EXPECT_THAT(why_not("10.0.0.0/16,10.1.0.0/16,10.2.0.0/16,10.3.0.0/16,10.4.0.0/16"),
              HasSubstr("too many for one scan"));
}

TEST(AddressSet, TheErrorNamesThePart) {
  EXPECT_THAT(why_not("10.0.0.1,ten"),
              HasSubstr("\"ten\" is not a network, a range or an address"));
  EXPECT_THAT(why_not(""), HasSubstr("\"\" is not"));
  EXPECT_THAT(why_not("10.0.0.1,"), HasSubstr("\"\" is not"));
  EXPECT_THAT(why_not("10.0.0.0/33"), HasSubstr("\"10.0.0.0/33\" is not a network"));
  EXPECT_THAT(why_not("10.0.0.9-10.0.0.5"), HasSubstr("ends before it starts"));
  EXPECT_THAT(why_not("10.0.0.9-256"), HasSubstr("is not a range"));
  EXPECT_THAT(why_not("10.0.0.9-fd00::1"), HasSubstr("is not a range"));
}

TEST(AddressSet, ItKnowsItsAddresses) {
  const auto set = AddressSet::parse("192.168.20.0/22,fd00::1");
  ASSERT_TRUE(set);
  EXPECT_TRUE(set->contains(*parse_ip("192.168.23.254")));
  EXPECT_FALSE(set->contains(*parse_ip("192.168.23.255")));
  EXPECT_FALSE(set->contains(*parse_ip("192.168.24.1")));
  EXPECT_TRUE(set->contains(*parse_ip("fd00::1")));
}

}  // namespace

}  // namespace ichor
