#include "yaml/comments.h"

#include <gtest/gtest.h>

#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor::yaml {
namespace {

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> list;
  for (const Comment& comment : find_comments(text)) list.push_back(comment.text);
  return list;
}

TEST(Comments, AreFoundAndNothingElseIs) {
  EXPECT_EQ(texts("# one\n"
                  "a: 'no # comment' # two\n"
                  "b: \"no # comment\"\n"),
            (std::vector<std::string>{" one", " two"}));
  EXPECT_EQ(texts("a: | # head\n  text # no\n  # no\n# after\nb: x#y # z\nc: >\n  # no\n"),
            (std::vector<std::string>{" head", " after", " z"}));
  EXPECT_EQ(texts("a: b\r\n# c\r\n"), std::vector<std::string>{" c"});
  EXPECT_TRUE(texts("no: comment\n").empty());
}

TEST(Comments, KnowTheirDocument) {
  const auto comments = find_comments("# a\nx: 1\n# b\n---\n# c\ny: 1\n---\nz: 1 # d\n");
  ASSERT_EQ(comments.size(), 4u);
  EXPECT_EQ(comments[0].document, 0u);
  EXPECT_EQ(comments[1].document, 0u);
  EXPECT_EQ(comments[2].document, 1u);
  EXPECT_EQ(comments[3].document, 2u);
  const auto marked = find_comments("# a\n---\n# b\nx: 1\n");
  ASSERT_EQ(marked.size(), 2u);
  EXPECT_EQ(marked[1].document, 0u);
}

TEST(Comments, KnowWhatIsAroundThem) {
  const auto comments = find_comments(
      "a:\n"
      "  b: 1 # beside\n"
      "  # foot\n"
      "\n"
      "c: 2\n"
      "# last\n");
  ASSERT_EQ(comments.size(), 3u);
  EXPECT_TRUE(comments[0].beside);
  EXPECT_EQ(comments[0].at, (Position{2, 8}));
  EXPECT_FALSE(comments[1].beside);
  EXPECT_TRUE(comments[1].below_content);
  EXPECT_TRUE(comments[1].above_blank);
  EXPECT_EQ(comments[1].next_column, 1);
  EXPECT_EQ(comments[2].next_column, 0);
}

TEST(Comments, AreWrittenWithTheNodesTheyBelongTo) {
  auto document = parse_single("a:\n  - x\n  - k: v\nt: 2024-01-01\n", "f");
  ASSERT_TRUE(document);
  Node& root = document->root;
  RemarkMap remarks;
  remarks[&root].above = {" root"};
  remarks[&root.entries[0].key].above = {" a"};
  remarks[&root.entries[0].value].above = {" list"};
  remarks[&root.entries[0].value.items[0]].beside = " x";
  remarks[&root.entries[0].value.items[1]].above = {" item"};
  remarks[&root.entries[0].value.items[1]].below = {" end"};
  remarks[&root.entries[1].value].verbatim = true;
  remarks[&root.entries[1].key].below = {" foot"};
  EXPECT_EQ(emit(root, remarks),
            "# root\n"
            "# a\n"
            "a:\n"
            "    # list\n"
            "    - x # x\n"
            "    # item\n"
            "    - k: v\n"
            "      # end\n"
            "t: 2024-01-01\n"
            "# foot\n");
}

}  // namespace
}  // namespace ichor::yaml
