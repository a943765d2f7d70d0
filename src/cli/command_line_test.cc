#include "cli/command_line.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_list.h"
#include "cli/flag_set.h"
#include "cli/help.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// "-p x version" as a shell would split it.
CommandLine typed(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    words.emplace_back(line.substr(0, space));
    line = space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
  }
  return parse_command_line(words);
}

std::string misuse(std::string_view line) {
  const CommandLine parsed = typed(line);
  const Misuse* wrong = std::get_if<Misuse>(&parsed);
  return wrong ? wrong->message : "no misuse";
}

std::string help(std::string_view line) {
  const CommandLine parsed = typed(line);
  const HelpWanted* wanted = std::get_if<HelpWanted>(&parsed);
  return wanted ? wanted->text : "no help";
}

const Invocation& invocation(const CommandLine& line) { return std::get<Invocation>(line); }

TEST(CommandLine, TakesTheProfileBeforeAndAfterTheCommand) {
  for (const char* line : {"-p other.yaml version", "version -p other.yaml", "-pother.yaml version",
                           "version --profile=other.yaml", "--profile other.yaml version"}) {
    EXPECT_EQ(invocation(typed(line)).common.profile, "other.yaml") << line;
  }
  EXPECT_EQ(invocation(typed("version")).common.profile, "ichor.yaml");
}

TEST(CommandLine, TakesTheValueOfAFlagForNoCommand) {
  const CommandLine line = typed("-p version --state-dir completion version -o json -q");
  EXPECT_TRUE(std::holds_alternative<VersionRequest>(invocation(line).request));
  EXPECT_EQ(invocation(line).common.profile, "version");
  EXPECT_EQ(invocation(line).common.state_dir, "completion");
  EXPECT_EQ(invocation(line).common.output, OutputFormat::json);
  EXPECT_TRUE(invocation(line).common.quiet);
}

TEST(CommandLine, TakesAnyNumberOfProfilesToLint) {
  const auto profiles = [](const CommandLine& line) {
    return std::get<LintRequest>(invocation(line).request).profiles;
  };
  EXPECT_TRUE(profiles(typed("lint")).empty());
  EXPECT_EQ(profiles(typed("lint a b -q c")), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(CommandLine, NamesTheNearestCommandAndFlag) {
  EXPECT_EQ(misuse("verison"), "unknown command \"verison\"; did you mean version?");
  EXPECT_EQ(misuse("kubectl"), "unknown command \"kubectl\"; see `ichor --help`");
  EXPECT_EQ(misuse("version --quite"), "version: unknown flag --quite; did you mean --quiet?");
  EXPECT_EQ(misuse("--profil x"), "unknown flag --profil; did you mean --profile?");
  EXPECT_EQ(misuse("--profil"), "unknown flag --profil; did you mean --profile?");
  EXPECT_EQ(misuse("version now"), "version: unexpected argument \"now\"");
  EXPECT_EQ(misuse(""), "which command? see `ichor --help`");
}

TEST(CommandLine, TellsThatJsonWasWantedAlsoWhereTheRestIsWrong) {
  for (const char* line : {"verison -o json", "version --nope --output=json", "-ojson"}) {
    EXPECT_EQ(std::get<Misuse>(typed(line)).output, OutputFormat::json) << line;
  }
  for (const char* line : {"verison -o yaml", "-oyaml", "gen secrets --format yaml --nope"}) {
    EXPECT_EQ(std::get<Misuse>(typed(line)).output, OutputFormat::yaml) << line;
  }
  EXPECT_EQ(std::get<Misuse>(typed("verison")).output, OutputFormat::table);
}

TEST(CommandLine, GivesHelpHoweverItIsAskedFor) {
  EXPECT_THAT(help("--help"), StartsWith("ichor\n\n"));
  EXPECT_THAT(help("help"), StartsWith("ichor\n\n"));
  EXPECT_THAT(help("version --help"), StartsWith("ichor version\n\n"));
  EXPECT_THAT(help("help version"), StartsWith("ichor version\n\n"));
  EXPECT_THAT(help("version --nonsense -h"), StartsWith("ichor version\n\n"));
  EXPECT_EQ(misuse("help verison"), "unknown command \"verison\"; did you mean version?");
}

/// Every flag stands in the page of its command, or, if all commands take it, in the first page;
/// and every flag that a page lists is taken.
TEST(CommandLine, HasAPageForEveryCommandWithEveryFlag) {
  FlagSet common;
  CommonOptions options;
  bool wants_help = false;
  declare_common(common, options, wants_help);
  for (const FlagSet::Declared& flag : common.declared()) {
    EXPECT_THAT(help_page("ichor"), HasSubstr(fmt::format("`{}", flag.names.back())));
  }
  for (const CommandSpec& command : commands()) {
    EXPECT_THAT(help_page("ichor"), HasSubstr(fmt::format("ichor {}", command.page())));
    const std::string page(help_page(command.page()));
    EXPECT_THAT(page, StartsWith(fmt::format("# ichor {}", command.page())));
    FlagSet flags;
    Request request;
    command.declare(flags, request);
    for (const FlagSet::Declared& flag : flags.declared()) {
      for (const std::string& name : flag.names) {
        EXPECT_THAT(page, HasSubstr(name)) << command.name;
      }
    }
  }
}

}  // namespace
}  // namespace ichor
