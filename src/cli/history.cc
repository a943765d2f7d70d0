#include "cli/command_list.h"

namespace ichor {

void declare_history(FlagSet&, Request& request) { request.emplace<HistoryRequest>(); }

void declare_history_diff(FlagSet& flags, Request& request) {
  HistoryDiffRequest& diff = request.emplace<HistoryDiffRequest>();
  const auto into = [](std::string& target) {
    return [&target](const std::string& word) {
      target = word;
      return std::string();
    };
  };
  flags.argument("A", FlagSet::Need::required, into(diff.before));
  flags.argument("B", FlagSet::Need::required, into(diff.after));
}

}  // namespace ichor
