#include "cli/completion_script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_list.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

TEST(CompletionScript, KnowsEveryCommandAndFlagInEveryShell) {
  for (const Shell shell : {Shell::bash, Shell::zsh, Shell::fish}) {
    const std::string script = completion_script(shell);
    for (const CommandSpec& command : commands()) {
      EXPECT_THAT(script, HasSubstr(std::string(command.page())));
      FlagSet flags;
      Request request;
      command.declare(flags, request);
      for (const FlagSet::Declared& flag : flags.declared()) {
        const std::string name = flag.names.back();
        const std::string bare = name.starts_with("--") ? name.substr(2) : name;
        if (!flag.is_argument) {
          EXPECT_THAT(script, HasSubstr(bare)) << command.name;
        }
        for (const std::string& choice : flag.choices) EXPECT_THAT(script, HasSubstr(choice));
      }
    }
  }
}

TEST(CompletionScript, AsksForNamesWhereTheProfileOrTheJournalHasThem) {
  EXPECT_THAT(completion_script(Shell::bash), HasSubstr("-n|--nodes) _ichor_list nodes; return"));
  EXPECT_THAT(completion_script(Shell::bash), HasSubstr("--cluster) _ichor_one clusters; return"));
  EXPECT_THAT(completion_script(Shell::bash), HasSubstr("$(_ichor_names ids)"));
  EXPECT_THAT(completion_script(Shell::zsh), HasSubstr("'--nodes:NODES:{_ichor_names nodes}'"));
  EXPECT_THAT(completion_script(Shell::zsh), HasSubstr("'*:FAULT:{_ichor_names faults}'"));
  EXPECT_THAT(completion_script(Shell::fish),
              HasSubstr("-l nodes -xa '(__fish_complete_list , \"__ichor_names nodes\")'"));
  EXPECT_THAT(completion_script(Shell::fish), HasSubstr("-xa '(__ichor_names runs)'"));
}

TEST(CompletionScript, ACommandOfAGroupIsNotTheOneOfTheSameName) {
  const std::string script = completion_script(Shell::fish);
  EXPECT_THAT(script,
              HasSubstr("from status; and not __fish_seen_subcommand_from certs etcd lab'"));
  EXPECT_THAT(script, HasSubstr("from lab; and __fish_seen_subcommand_from status'"));
}

TEST(CompletionScript, OffersFilesWhereAFileIsWanted) {
  EXPECT_THAT(completion_script(Shell::bash), HasSubstr("-p|--profile) COMPREPLY=($(compgen -f"));
  EXPECT_THAT(completion_script(Shell::fish), HasSubstr("-s p -l profile -rF"));
  EXPECT_THAT(completion_script(Shell::zsh), HasSubstr("'--profile:FILE:_files'"));
}

}  // namespace
}  // namespace ichor
