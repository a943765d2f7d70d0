#include "cli/command_list.h"

namespace ichor {

void declare_completion(FlagSet& flags, Request& request) {
  CompletionRequest& completion = request.emplace<CompletionRequest>();
  const auto take = [&completion](const std::string& word) {
    completion.shell = word == "zsh" ? Shell::zsh : word == "fish" ? Shell::fish : Shell::bash;
    return std::string();
  };
  flags.argument("SHELL", FlagSet::Need::required, take, {"bash", "zsh", "fish"});
}

}  // namespace ichor
