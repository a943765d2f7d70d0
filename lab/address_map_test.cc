#include "lab/address_map.h"

#include <gtest/gtest.h>

namespace ichor::lab {
namespace {

TEST(AddressMap, OnlyWhatTheLabBoundIsDialled) {
  AddressMap map;
  map.add(IpAddress("192.168.22.101"), IpAddress("127.4.0.1"));
  map.add(IpAddress("127.9.9.9"), IpAddress("127.9.9.9"));
  EXPECT_EQ(map.dialled(IpAddress("192.168.22.101")), IpAddress("127.4.0.1"));
  EXPECT_EQ(map.dialled(IpAddress("127.4.0.1")), IpAddress("127.4.0.1"));
  EXPECT_EQ(map.dialled(IpAddress("127.9.9.9")), IpAddress("127.9.9.9"));
  for (const char* other : {"192.168.22.119", "127.0.0.1", "127.4.0.2", "cluster.example", ""}) {
    EXPECT_EQ(map.dialled(IpAddress(other)), IpAddress()) << other;
  }
}

}  // namespace
}  // namespace ichor::lab
