#include "run/text_output.h"

#include <fmt/format.h>

#include "model/or_end.h"
#include "run/finish.h"

namespace ichor {

Exit hand_out(const SecretString& text, const std::string& path, const CommonOptions& common,
              Host& host) {
  if (!path.empty()) {
    if (auto written = host.files.write_private(path, text); !written) {
      return give_up(written.error(), common, host);
    }
    RunResult result;
    result.exit = Exit::done;
    result.verdict = fmt::format("{} is written", path);
    return finish(std::move(result), host.terminal);
  }
  if (!for_programs(common.output)) {
    host.terminal.out() << text.reveal();
    return Exit::done;
  }
  Listing listing;
  listing.type = "content";
  listing.rows.push_back({{"text", std::string(text.reveal())}});
  host.terminal.display().show(listing);
  RunResult result;
  result.exit = Exit::done;
  return finish(std::move(result), host.terminal);
}

Exit give_up(const Error& error, const CommonOptions& common, Host& host) {
  RunResult result = end_with(error).value();
  if (for_programs(common.output)) return finish(std::move(result), host.terminal);
  host.terminal.err() << "ichor: " << result.verdict << '\n';
  return result.exit;
}

}  // namespace ichor
