#include "yaml/emit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "yaml/build.h"
#include "yaml/document.h"

namespace ichor::yaml {
namespace {

std::string emit_string(std::string_view text) {
  const std::string out = emit(map().set("k", text));
  return out.substr(3, out.size() - 4);
}

TEST(YamlEmit, IndentsAsYamlV3DoesWithFour) {
  const Node plugin =
      map()
          .set("name", "PodSecurity")
          .set("configuration",
               map().set("defaults", map().set("enforce", "baseline")).set("exemptions", map()));
  const Node root = map()
                        .set("version", "v1alpha1")
                        .set("debug", false)
                        .set("cluster", map()
                                            .set("plugins", list({plugin}))
                                            .set("subnets", list({"10.244.0.0/16"}))
                                            .set("nothing", make_null()))
                        .set("empty", list(std::vector<Node>{}));
  EXPECT_EQ(emit(root),
            "version: v1alpha1\n"
            "debug: false\n"
            "cluster:\n"
            "    plugins:\n"
            "        - name: PodSecurity\n"
            "          configuration:\n"
            "            defaults:\n"
            "                enforce: baseline\n"
            "            exemptions: {}\n"
            "    subnets:\n"
            "        - 10.244.0.0/16\n"
            "    nothing: null\n"
            "empty: []\n");
}

TEST(YamlEmit, DoubleQuotesForWhatWouldResolveToAnotherType) {
  for (const char* text : {"y", "no", "On", "true", "0x10", "1e3", "null", "", "5", "1_000", "0777",
                           "10:30", "2024-01-01", "~", "<<", ".5", "-1", "0b11"}) {
    EXPECT_EQ(emit_string(text), "\"" + std::string(text) + "\"");
  }
}

TEST(YamlEmit, SingleQuotesForSyntax) {
  for (const char* text : {"a: b", "*x", "@y", "#c", "[a", "{a", "- a", "x #y", "k:", " lead",
                           "trail ", "`", "%d", "---", "!t", "&a", "|", ">", "? x"}) {
    EXPECT_EQ(emit_string(text), "'" + std::string(text) + "'");
  }
  EXPECT_EQ(emit_string("'it"), "'''it'");
}

TEST(YamlEmit, PlainWherePossible) {
  for (const char* text :
       {"https://192.168.22.100:6443", "10.42.0.0/16", "-a", "?a", ":a", "a#b", "it's",
        "RuntimeDefault", "v1.35.2", "=", "a, b", "ü", "52:54:00:aa:bb:01"}) {
    EXPECT_EQ(emit_string(text), text);
  }
}

TEST(YamlEmit, EscapesWhatCannotBeShown) {
  EXPECT_EQ(emit_string("a\tb"), "\"a\\tb\"");
  EXPECT_EQ(emit_string("a\x1b[0m\"\\"), "\"a\\e[0m\\\"\\\\\"");
  EXPECT_EQ(emit_string("\xc2\x85"), "\"\\N\"");
  EXPECT_EQ(emit_string("a \nb"), "\"a \\nb\"");
}

TEST(YamlEmit, SeveralLinesAreALiteralBlock) {
  EXPECT_EQ(emit(map().set("k", "a\nb\n")), "k: |\n    a\n    b\n");
  EXPECT_EQ(emit(map().set("k", "a\nb")), "k: |-\n    a\n    b\n");
  EXPECT_EQ(emit(map().set("k", "a\n\n")), "k: |+\n    a\n\n");
  EXPECT_EQ(emit(map().set("k", " a\nb\n")), "k: |4\n     a\n    b\n");
  EXPECT_EQ(emit(map().set("k", list({" a\nb\n"}))), "k:\n    - |2\n       a\n      b\n");
}

TEST(YamlEmit, SeparatesDocuments) {
  EXPECT_EQ(emit_all({map().set("a", 1), map().set("b", 2)}), "a: 1\n---\nb: 2\n");
}

/// A random text of blank lines with a tab did not: the block was read as another text.
TEST(YamlEmit, EveryShortTextOfBlanksAndMarksComesBack) {
  constexpr std::string_view kAlphabet = "a \n\t#-";
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i];
    const auto back = parse(emit(map().set("k", text)), "out");
    ASSERT_TRUE(back.has_value()) << testing::PrintToString(text);
    ASSERT_EQ(back->front().root.find("k")->as_string(), text);
    if (text.size() == 5) continue;
    for (const char c : kAlphabet) texts.push_back(text + c);
  }
}

RC_GTEST_PROP(YamlEmit, EveryTextComesBack, ()) {
  const auto alphabet = std::string("ab :#-'\"\n\t[]{},&*!|>%@\\0157._~?+eEynxo<=");
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
  for (const Node& root : {map().set("k", text).done(), list({text}), map().set(text, "v").done(),
                           map().set("a", list({map().set("b", text).done()})).done()}) {
    const std::string out = emit(root);
    const auto back = parse(out, "out");
    RC_LOG() << out;
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->size() == 1u);
    RC_ASSERT(emit(back->front().root) == out);
  }
  const auto back = parse(emit(map().set("k", text)), "out");
  RC_ASSERT(back->front().root.find("k")->as_string() == text);
}

}  // namespace
}  // namespace ichor::yaml
