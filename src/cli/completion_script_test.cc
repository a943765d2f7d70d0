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

TEST(CompletionScript, OffersFilesWhereAFileIsWanted) {
  EXPECT_THAT(completion_script(Shell::bash), HasSubstr("-p|--profile) COMPREPLY=($(compgen -f"));
  EXPECT_THAT(completion_script(Shell::fish), HasSubstr("-s p -l profile -rF"));
  EXPECT_THAT(completion_script(Shell::zsh), HasSubstr("'--profile:FILE:_files'"));
}

}  // namespace
}  // namespace ichor
