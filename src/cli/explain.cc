#include "cli/command_list.h"

namespace ichor {

void declare_explain(FlagSet& flags, Request& request) {
  ExplainRequest& explain = request.emplace<ExplainRequest>();
  flags.argument("ID", FlagSet::Need::required, [&explain](const std::string& word) {
    explain.id = word;
    return std::string();
  });
}

}  // namespace ichor
