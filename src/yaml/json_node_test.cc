#include "yaml/json_node.h"

#include <gtest/gtest.h>

#include "yaml/document.h"

namespace ichor::yaml {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonNode, GivesTheSameDataInTheSameOrder) {
  Json json;
  json["type"] = "node";
  json["node"] = "cp1";
  json["ready"] = true;
  json["seconds"] = 1.5;
  json["nothing"] = nullptr;
  json["macs"] = {"52:54:00:16:01:01", "yes"};
  json["empty"] = Json::object();
  EXPECT_EQ(document_of(json),
            "---\ntype: node\nnode: cp1\nready: true\nseconds: 1.5\nnothing: null\nmacs:\n"
            "    - \"52:54:00:16:01:01\"\n    - \"yes\"\nempty: {}\n");
}

TEST(JsonNode, TextsStayTextsWhateverTheyHold) {
  const std::vector<std::string> texts{
      "true", "1.12",    "017",  "a\nb\n",     "\x1b[2J",         "\xff", "", "~",
      "- x",  "{{ a }}", "1:30", "2026-01-31", "\xf0\x9f\x98\x80"};
  Json json;
  for (const std::string& text : texts) json["texts"].push_back(text);
  const auto read = parse_single(document_of(json), "out");
  ASSERT_TRUE(read.has_value());
  const Node* found = read->root.find("texts");
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->items.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string expected = texts[i] == "\xff" ? "\xef\xbf\xbd" : texts[i];
    EXPECT_EQ(found->items[i].as_string().value_or("no text"), expected);
  }
  EXPECT_EQ(document_of(json).find('\x1b'), std::string::npos) << "a terminal would obey it";
}

TEST(JsonNode, WhatMisleadsAReaderIsWrittenInEscapes) {
  Json json;
  json["text"] = "rm \u202egnp.exe\u200b \U000E0041\nsecond line";
  json["key\u202e"] = "plain";
  const std::string yaml = document_of(json);
  EXPECT_EQ(
      yaml,
      "---\ntext: \"rm \\u202Egnp.exe\\u200B \\U000E0041\\nsecond line\"\n\"key\\u202E\": plain\n");
  const auto read = parse_single(yaml, "out");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->root.find("text")->as_string(), json["text"].get<std::string>());
  ASSERT_NE(read->root.find("key\u202e"), nullptr) << "or two keys could become one";
}

}  // namespace
}  // namespace ichor::yaml
