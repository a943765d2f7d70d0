#include "yaml/document.h"

#include <gtest/gtest.h>
#include <string>

namespace ichor::yaml {
namespace {

std::string repeat(std::string_view part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

Node root_of(std::string_view text) {
  auto documents = parse(text, "f.yaml");
  EXPECT_TRUE(documents.has_value()) << (documents ? "" : documents.error().message);
  if (!documents || documents->empty()) return {};
  return documents->front().root;
}

std::string error_of(std::string_view text, const Limits& limits = {}) {
  const auto documents = parse(text, "f.yaml", limits);
  return documents ? "" : documents.error().message;
}

TEST(YamlDocument, KeepsOrderPositionsAndTypes) {
  const Node root = root_of("name: demo\nnodes:\n  - ip: 10.0.0.1\n    vmid: 101\n    on: yes\n");
  ASSERT_EQ(root.entries.size(), 2u);
  EXPECT_EQ(root.entries[0].key.text, "name");
  EXPECT_EQ(root.entries[0].key.at, (Position{1, 1}));
  EXPECT_EQ(root.entries[0].value.at, (Position{1, 7}));
  const Node& node = root.find("nodes")->items[0];
  EXPECT_EQ(node.at, (Position{3, 5}));
  EXPECT_EQ(node.find("vmid")->as_int(), 101);
  EXPECT_EQ(node.find("vmid")->at, (Position{4, 11}));
  EXPECT_EQ(root_of("a: \"b\"\nc: &x 1\nd: *x\n").find("a")->at, (Position{1, 4}));
  EXPECT_EQ(root_of("a: \"b\"\nc: &x 1\nd: *x\n").find("d")->at, (Position{3, 4}));
  EXPECT_EQ(node.find("on")->as_string(), "yes");
  EXPECT_EQ(node.find("on")->as_bool(), std::nullopt);
  EXPECT_EQ(root.find_path({"nodes", "ip"}), nullptr);
}

TEST(YamlDocument, ReadsSeveralDocuments) {
  const auto documents = parse("a: 1\n---\nb: 2\n---\n", "f.yaml");
  ASSERT_TRUE(documents.has_value());
  ASSERT_EQ(documents->size(), 3u);
  EXPECT_EQ((*documents)[1].root.find("b")->as_int(), 2);
  EXPECT_EQ((*documents)[1].where((*documents)[1].root), "f.yaml:3:1");
  EXPECT_TRUE((*documents)[2].root.is_null());
}

TEST(YamlDocument, AnEmptyTextHasNoDocuments) {
  for (const std::string_view text : {"", "\n\n", "# only a comment\n", "   "}) {
    const auto documents = parse(text, "f.yaml");
    ASSERT_TRUE(documents.has_value()) << text;
    EXPECT_TRUE(documents->empty()) << text;
  }
}

TEST(YamlDocument, TakesByteOrderMarkAndCrlf) {
  const Node root = root_of(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: |\r\n  x\r\n  y\r\nc: \"q\r\n  r\"\r\n");
  EXPECT_EQ(root.find("a")->as_int(), 1);
  EXPECT_EQ(root.find("a")->at, (Position{1, 4}));
  EXPECT_EQ(root.find("b")->text, "x\ny\n");
  EXPECT_EQ(root.find("c")->text, "q r");
}

TEST(YamlDocument, DistinguishesQuotedFromPlain) {
  const Node root = root_of("a: \"5\"\nb: '~'\nc: ~\nd:\ne: !!str 5\nf: |\n  5\n");
  EXPECT_EQ(root.find("a")->as_string(), "5");
  EXPECT_EQ(root.find("a")->as_int(), std::nullopt);
  EXPECT_EQ(root.find("b")->as_string(), "~");
  EXPECT_TRUE(root.find("c")->is_null());
  EXPECT_TRUE(root.find("d")->is_null());
  EXPECT_EQ(root.find("e")->as_string(), "5");
  EXPECT_EQ(root.find("f")->as_string(), "5\n");
}

TEST(YamlDocument, ReadsEscapedLineEnds) {
  EXPECT_EQ(root_of("k: \"a\\\\\\\n   bcd\"\n").find("k")->text, "a\\bcd");
  EXPECT_EQ(root_of("\xEF\xBB\xBFk: \"\xC3\xBC\\\n  d\"\n").find("k")->text,
            "\xC3\xBC"
            "d");
}

TEST(YamlDocument, ResolvesAliasesAndMergeKeys) {
  const Node root = root_of(
      "base: &base {disk: /dev/sda, wipe: true}\n"
      "more: &more {wipe: false, image: x}\n"
      "one:\n  <<: *base\n  wipe: false\n"
      "two:\n  <<: [*base, *more]\n  ip: 10.0.0.1\n");
  EXPECT_EQ(root.find("one")->find("disk")->text, "/dev/sda");
  EXPECT_EQ(root.find("one")->find("wipe")->as_bool(), false);
  EXPECT_EQ(root.find("two")->find("wipe")->as_bool(), true);
  EXPECT_EQ(root.find("two")->find("image")->text, "x");
  EXPECT_EQ(root.find("two")->find("<<"), nullptr);
}

TEST(YamlDocument, RefusesWhatIsAmbiguous) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: the key \"a\" appears twice");
  EXPECT_EQ(error_of("a: !ruby/object x\n"),
            "f.yaml:1:17: unknown tag \"!ruby/object\", or not of its kind");
  EXPECT_EQ(error_of("a: !!binary aGk=\n"),
            "f.yaml:1:13: unknown tag \"tag:yaml.org,2002:binary\", or not of its kind");
  EXPECT_EQ(error_of("a: !thing {}\n"), "f.yaml:1:11: unknown tag \"!thing\"");
  EXPECT_EQ(error_of("? [a]\n: b\n"), "f.yaml:1:3: a key must be a scalar, not a list");
  EXPECT_EQ(error_of("a: *nowhere\n"), "f.yaml:1:4: there is no anchor &nowhere before this alias");
  EXPECT_EQ(error_of("a: &a [*a]\n"), "f.yaml:1:8: the alias *a contains itself");
  EXPECT_EQ(error_of("<<: 5\n"), "f.yaml:1:5: << wants a mapping, not an integer");
}

TEST(YamlDocument, NamesThePlaceOfSyntaxErrors) {
  EXPECT_EQ(error_of("a:\n\tb: 1\n").substr(0, 12), "f.yaml:2:1: ");
  EXPECT_EQ(error_of("a: [1, 2\n").substr(0, 7), "f.yaml:");
  EXPECT_EQ(error_of("a: \"x\n").substr(0, 11), "f.yaml:1:5:");
  EXPECT_NE(error_of("a: b: c\n"), "");
}

TEST(YamlDocument, RefusesBytesThatAreNoText) {
  EXPECT_EQ(error_of(std::string_view("a: \0b\n", 6)),
            "f.yaml:1:4: the control character 0x00 is not allowed");
  EXPECT_EQ(error_of("\x7f"
                     "ELF\x01\x02"),
            "f.yaml:1:1: the control character 0x7f is not allowed");
  EXPECT_EQ(error_of("ok: 1\nbad: \xff\n"), "f.yaml:2:6: the byte 0xff is not UTF-8");
  EXPECT_EQ(error_of("\xff\xfe"
                     "a"),
            "f.yaml:1:1: the byte 0xff is not UTF-8");
  EXPECT_EQ(error_of("a: \xed\xa0\x80"), "f.yaml:1:4: the byte 0xed is not UTF-8");
  EXPECT_EQ(error_of("a: \xc0\x80"), "f.yaml:1:4: the byte 0xc0 is not UTF-8");
}

TEST(YamlDocument, StopsDeepNestingInEveryForm) {
  const std::string deep = "nested more than 64 levels deep";
  for (const std::string_view part :
       {"[", "{a: ", "{\"a\":", "- ", "? ", "[\n", "[? ", "a: {", "- ["}) {
    const std::string message = error_of(repeat(part, 100'000));
    EXPECT_NE(message.find(deep), std::string::npos) << part << ": " << message;
  }
  std::string block;
  for (int i = 0; i < 2'000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(error_of(block).find(deep), std::string::npos);
  EXPECT_EQ(error_of(repeat("[", 63) + repeat("]", 63)), "");
  EXPECT_NE(error_of(repeat("[", 64) + repeat("]", 64)), "");
}

TEST(YamlDocument, StopsAliasBombs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeat("*a" + last + ", ", 9) + "*a" + last + "]\n";
  }
  EXPECT_EQ(error_of(bomb), "f.yaml:3:45: aliases make the text more than 10 times as large");
  EXPECT_EQ(error_of("a: &a {b: 1}\nc: [*a, *a, *a]\n"), "");
}

TEST(YamlDocument, AliasesDoNotGetAroundTheDepthLimit) {
  const std::string half = repeat("[", 40) + repeat("]", 40);
  EXPECT_NE(error_of("a: &a " + half + "\nb: " + repeat("[", 40) + "*a" + repeat("]", 40) + "\n")
                .find("nested more than 64"),
            std::string::npos);
}

TEST(YamlDocument, CountsBytesNodesAndDocuments) {
  EXPECT_EQ(error_of(std::string((4u << 20) + 1, 'a')),
            "f.yaml:1:1: the text has 4194305 bytes; the limit is 4194304");
  EXPECT_EQ(error_of(repeat("- a\n", 100'001)), "f.yaml:100000:3: more than 100000 nodes");
  EXPECT_EQ(error_of(repeat("--- a\n", 10'001)), "f.yaml:10001:1: more than 10000 documents");
  EXPECT_NE(error_of("[" + repeat("a,", 2'000'000) + "]"), "");
  EXPECT_NE(error_of("[" + repeat("[],", 1'300'000) + "]"), "");
  EXPECT_NE(error_of("{" + repeat("\"a\": 'b',", 400'000) + "}"), "");
  EXPECT_NE(error_of("- &a !!seq [" + repeat("a,", 2'000'000) + "]"), "");
}

TEST(YamlDocument, StopsWhatTheLibraryWouldReadToTheEndFirst) {
  EXPECT_NE(error_of("*x [" + repeat("a,", 1'300'000) + "]"), "");
  EXPECT_NE(error_of("\"x\": {\"y\":" + repeat("[a,", 1'000'000)), "");
  EXPECT_NE(error_of(repeat("&a ", 1'000'000)), "");
  EXPECT_NE(error_of(repeat("!!str\n", 600'000)), "");
  EXPECT_NE(error_of(repeat("# c\n!!str ", 400'000)), "");
  EXPECT_NE(error_of(repeat("[]", 2'000'000)), "");
  EXPECT_NE(error_of(repeat("[]\n", 1'000'000)), "");
  EXPECT_NE(error_of("k: \"a\"" + std::string(1'000'000, ' ')), "");
  EXPECT_NE(error_of("[x-\"" + repeat(",", 2'000'000)), "");
  EXPECT_NE(error_of("[x \"" + repeat(",", 2'000'000)), "");
  EXPECT_NE(error_of("a: x [ \"\nb: [" + repeat("[a,", 1'000'000)), "");
  EXPECT_NE(error_of("{: " + repeat("- ", 2'000'000)), "");
  EXPECT_NE(error_of(repeat("\n'a'", 1'000'000)), "");
  EXPECT_NE(error_of("{a: " + std::string(4'000'000, ' ')), "");
  EXPECT_NE(error_of("|\n? " + std::string(4'000'000, '\t')), "");
  EXPECT_EQ(error_of(std::string(4'000'000, '\'')), "");
  EXPECT_NE(error_of(repeat("%FOO bar\n", 400'000) + "---\na\n"), "");
}

TEST(YamlDocument, BracketsInsideBlockScalarsAreText) {
  const std::string script = repeat("  [ -f x ] && { echo \"a, b\"; }\n  }\n  {\n", 20'000);
  EXPECT_EQ(error_of("script: |\n" + script.substr(0, 200'000)), "");
}

TEST(YamlDocument, ASingleDocumentIsExactlyOne) {
  EXPECT_EQ(parse_single("", "f.yaml").error().message(), "f.yaml:1:1: the file is empty");
  EXPECT_EQ(parse_single("a: 1\n---\nb: 1\n", "f.yaml").error().message(),
            "f.yaml:3:1: only one document is allowed here");
  EXPECT_EQ(parse_single("a: 1\n", "f.yaml")->root.find("a")->as_int(), 1);
}

}  // namespace
}  // namespace ichor::yaml
