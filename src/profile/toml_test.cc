#include "profile/toml.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(Toml, IsReadWithPositions) {
  const auto document = parse_toml(
      "a = 'x'\n"
      "[network]\n"
      "  vlan = 22\n"
      "[[nodes]]\n"
      "name = \"cp1\"\n"
      "controller = true\n",
      "cluster.toml");
  ASSERT_TRUE(document.has_value());
  const yaml::Node* vlan = document->root.find_path({"network", "vlan"});
  ASSERT_NE(vlan, nullptr);
  EXPECT_EQ(vlan->as_int(), 22);
  EXPECT_EQ(vlan->at, (yaml::Position{3, 10}));
  const yaml::Node& node = document->root.find("nodes")->items.at(0);
  EXPECT_EQ(node.find("name")->as_string(), "cp1");
  EXPECT_EQ(node.find("controller")->as_bool(), true);
}

TEST(Toml, WhatToolsTakeForImpossibleIsAnError) {
  for (const char* text : {"[,L", "\xc3\xa9", "a = \xc3\xa9", "\xd4\xcf\x99", "\xcf\x99 = 1"}) {
    EXPECT_FALSE(parse_toml(text, "cluster.toml")) << text;
  }
  const auto quoted = parse_toml("a = '\xc3\xa9' # \xc3\xa9\n", "cluster.toml");
  ASSERT_TRUE(quoted);
  EXPECT_EQ(quoted->root.find("a")->as_string(), "\xc3\xa9");
}

TEST(Toml, ErrorsHaveAPlace) {
  const auto document = parse_toml("a = 1\na = 2\n", "cluster.toml");
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().at.line, 2);
  EXPECT_FALSE(parse_toml(std::string(100'000, '['), "x").has_value());
}

}  // namespace
}  // namespace ichor
