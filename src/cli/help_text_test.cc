#include "cli/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/command_list.h"
#include "cli/help.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HelpText, HeadingsLoseTheirMarks) {
  EXPECT_EQ(help_text("# ichor up\n\n## Exit codes\n"), "ichor up\n\nEXIT CODES\n");
}

TEST(HelpText, ParagraphsAreWrappedAtEightyColumns) {
  EXPECT_EQ(help_text(std::string(50, 'a') + "\n" + std::string(30, 'b') + " c\n"),
            std::string(50, 'a') + "\n" + std::string(30, 'b') + " c\n");
  EXPECT_EQ(help_text(std::string(50, 'a') + "\nb\n"), std::string(50, 'a') + " b\n");
}

TEST(HelpText, AnEllipsisCountsAsOneColumn) {
  EXPECT_EQ(help_text(std::string(77, 'a') + " …b\n"), std::string(77, 'a') + " …b\n");
}

TEST(HelpText, BlocksStayAsTheyAre) {
  EXPECT_EQ(help_text("    ichor up `x`   # twice\n"), "    ichor up `x`   # twice\n");
}

TEST(HelpText, BackticksAndLinksBecomeText) {
  EXPECT_EQ(help_text("See `ichor help` and [the page](docs/x.md), **now**.\n"),
            "See 'ichor help' and the page (docs/x.md), now.\n");
}

TEST(HelpText, TheUsageHasNoQuotes) {
  EXPECT_EQ(help_text("Usage: `ichor up [FLAGS]`\n"), "Usage: ichor up [FLAGS]\n");
}

TEST(HelpText, StarsInCodeStay) { EXPECT_EQ(help_text("`a**b`\n"), "a**b\n"); }

TEST(HelpText, AFlagStandsAboveItsMeaning) {
  EXPECT_EQ(help_text("- `-n`, `--nodes NODES`: only\n  these\n- `--all`: all\n"),
            "  -n, --nodes NODES\n      only these\n  --all\n      all\n");
}

TEST(HelpText, OtherListsKeepTheirDash) {
  EXPECT_EQ(help_text("- ready: `ichor up` ended\n"), "  - ready: 'ichor up' ended\n");
}

TEST(HelpText, TwoColumnsStandSideBySide) {
  EXPECT_EQ(help_text("| kind | meaning |\n|---|---|\n| ours | a `b` |\n"),
            "  kind  meaning\n  ours  a b\n");
}

TEST(HelpText, OfThreeColumnsTheFirstIsALine) {
  EXPECT_EQ(help_text("| finding | wrong | fix |\n|---|---|---|\n| `a.b` | c | d\\|e |\n"),
            "  a.b\n      c\n      fix: d|e\n");
}

TEST(HelpText, AWideFirstColumnIsALine) {
  const std::string wide(30, 'w');
  EXPECT_EQ(help_text("| a | b |\n|---|---|\n| " + wide + " | c |\n"), "  " + wide + "\n      c\n");
}

TEST(HelpText, LinesHaveNoEnds) {
  EXPECT_THAT(text_lines("a\n\nb\n"), testing::ElementsAre("a", "", "b"));
  EXPECT_THAT(text_lines("a"), testing::ElementsAre("a"));
  EXPECT_THAT(text_lines(""), testing::IsEmpty());
}

TEST(HelpText, EndsWithoutANewlineAtTheEnd) { EXPECT_EQ(help_text("a\nb"), "a b\n"); }

TEST(HelpText, NoPageShowsMarkdownOrLinesThatAreTooLong) {
  for (const CommandSpec& command : commands()) {
    const std::string_view page = help_page(command.page());
    std::istringstream lines(help_text(page));
    for (std::string line; std::getline(lines, line);) {
      if (page.find("\n" + line + "\n") != std::string_view::npos && line.starts_with("    ")) {
        continue;  // a block, as it stands in the page
      }
      EXPECT_THAT(line, Not(HasSubstr("`"))) << command.name;
      EXPECT_THAT(line, Not(testing::StartsWith("#"))) << command.name;
      EXPECT_THAT(line, Not(testing::StartsWith("|"))) << command.name;
      EXPECT_LE(line.size(), 100u) << command.name << ": " << line;
    }
  }
}

}  // namespace
}  // namespace ichor
