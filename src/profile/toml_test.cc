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

std::string refusal(const std::string& text) {
  const auto document = parse_toml(text, "cluster.toml");
  return document ? "taken" : document.error().message();
}

std::string dotted(int parts) {
  std::string key = "a";
  while (--parts > 0) key += ".a";
  return key;
}

TEST(Toml, ThatIsNestedDeepIsRefusedBeforeItIsBuilt) {
  const std::string deep = "nested more than 100 levels deep";
  EXPECT_EQ(refusal(dotted(10'000) + " = 1\n"), "cluster.toml:1:202: " + deep);
  EXPECT_EQ(refusal("[" + dotted(10'000) + "]\n"), "cluster.toml:1:203: " + deep);
  EXPECT_EQ(refusal("# a.b\n[x]\n\"a.b\"." + dotted(200) + " = 1\n").substr(0, 14),
            "cluster.toml:3");
  std::string tables = "a = ";
  for (int i = 0; i < 250; ++i) tables += "{" + dotted(50) + " = ";
  EXPECT_NE(refusal(tables + "1" + std::string(250, '}')).find(deep), std::string::npos);
  EXPECT_NE(refusal("[" + dotted(60) + "]\n" + dotted(60) + " = 1\n").find(deep),
            std::string::npos);
}

TEST(Toml, IsTakenAsDeepAsTheLimitAndWithManyDotsElsewhere) {
  EXPECT_EQ(refusal(dotted(90) + " = 1\n"), "taken");
  std::string values = "a = [";
  for (int i = 0; i < 500; ++i) values += "1.5, ";
  EXPECT_EQ(refusal(values + "2.5]\nb = '" + dotted(500) + "'\n# " + dotted(500) + "\n"), "taken");
  std::string tables;
  for (int i = 0; i < 300; ++i) tables += "[t" + std::to_string(i) + ".b]\nx.y = {c.d = 1}\n";
  EXPECT_EQ(refusal(tables), "taken");
  EXPECT_EQ(refusal("a = \"\"\"\n" + dotted(500) + "\n\"\"\"\nb = \"\\\"" + dotted(500) + "\"\n"),
            "taken");
}

}  // namespace
}  // namespace ichor
