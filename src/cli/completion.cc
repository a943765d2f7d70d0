#include "cli/command_list.h"

namespace ichor {

void declare_completion(FlagSet& flags, Request& request) {
  CompletionRequest& completion = request.emplace<CompletionRequest>();
  const auto shell = std::make_shared<bool>(false);
  const auto take = [&completion, shell](const std::string& word) {
    *shell = true;
    completion.shell = word == "zsh" ? Shell::zsh : word == "fish" ? Shell::fish : Shell::bash;
    return std::string();
  };
  flags.argument("SHELL", FlagSet::Need::optional, take, {"bash", "zsh", "fish"});
  const std::vector<std::string> kinds{"nodes", "clusters", "faults", "ids", "runs"};
  flags.value("--names", "KIND", [&completion, kinds](const std::string& word) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == word) completion.names = static_cast<NameKind>(i);
    }
    return completion.names ? std::string() : "\"" + word + "\" is not a kind of names";
  });
  flags.rule([&completion, shell]() -> std::string {
    if (*shell && completion.names) return "takes a SHELL or --names, not both";
    return *shell || completion.names ? "" : "needs a SHELL: bash, zsh or fish";
  });
}

}  // namespace ichor
