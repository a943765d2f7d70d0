#include "cli/command_list.h"

namespace ichor {

void declare_lint(FlagSet& flags, Request& request) {
  LintRequest& lint = request.emplace<LintRequest>();
  flags.arguments("PROFILE", [&lint](const std::string& text) {
    lint.profiles.push_back(text);
    return std::string();
  });
}

}  // namespace ichor
