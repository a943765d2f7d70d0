#include <fmt/format.h>

#include "cli/command_list.h"

namespace ichor {

void declare_unlock(FlagSet& flags, Request& request) {
  UnlockRequest& unlock = request.emplace<UnlockRequest>();
  const auto take = [&unlock](const std::string& text) {
    unlock.nonce = text;
    const bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_hex && text.size() == 16) return std::string();
    return fmt::format("\"{}\" is not a nonce of 16 hex digits", text);
  };
  flags.flag("--force", unlock.force);
  flags.argument("NONCE", FlagSet::Need::required, take);
}

}  // namespace ichor
