#include "machineconfig/validate/names.h"

#include <gtest/gtest.h>

namespace ichor::validate {

namespace {

TEST(ConfigNames, LabelsAreThoseOfKubernetes) {
  for (const char* const name : {"a", "example.com/A_b.c-1", "1"}) {
    EXPECT_EQ(qualified_name_trouble(name), "") << name;
  }
  for (const char* const name : {"", "/a", "a/", "a/b/c", "A.com/b", "-a", "a b"}) {
    EXPECT_NE(qualified_name_trouble(name), "") << name;
  }
  EXPECT_EQ(label_value_trouble(""), "");
  EXPECT_NE(label_value_trouble(std::string(64, 'a')), "");
  EXPECT_EQ(taint_trouble("yes:NoExecute"), "");
  EXPECT_EQ(taint_trouble("NoSchedule"), "");
  EXPECT_NE(taint_trouble("yes"), "");
}

TEST(ConfigNames, ADnsNameMayEndWithADot) {
  for (const char* const name : {"cluster.local", "a.", "_a.b", "a-", "a_"}) {
    EXPECT_TRUE(is_dns_name(name)) << name;
  }
  for (const char* const name : {"", ".", "-a", "a..b", "a b", ".a"}) {
    EXPECT_FALSE(is_dns_name(name)) << name;
  }
}

}  // namespace

}  // namespace ichor::validate
