#include "machineconfig/schematic.h"

#include <fmt/format.h>

#include "base/clean_text.h"
#include "command/commands.h"
#include "run/text_output.h"

namespace ichor {

namespace {

constexpr std::size_t kLineMax = 64u << 10;

Result<Schematic> read_file(const std::string& path, Host& host) {
  const auto text = host.files.read_input(path);
  if (!text) return forward_error(text);
  return Schematic::read(*text, path);
}

/// Data for programs, and the end of the output.
Exit show(std::string type, std::vector<nlohmann::ordered_json> rows, Host& host) {
  Listing listing;
  listing.type = std::move(type);
  listing.rows = std::move(rows);
  host.terminal.display().show(listing);
  Summary summary;
  summary.result.exit = Exit::done;
  host.terminal.display().end(summary);
  return Exit::done;
}

std::string change_line(char sign, const std::string& path, const std::string& value) {
  return clean_text(fmt::format("{} {}: {}", sign, path, value), kLineMax) + '\n';
}

}  // namespace

Exit run(const SchematicIdRequest& request, const CommonOptions& common, Host& host) {
  const auto schematic = read_file(request.file, host);
  if (!schematic) return give_up(schematic.error(), common, host);
  if (for_programs(common.output)) {
    return show("schematic", {{{"file", request.file}, {"id", schematic->id()}}}, host);
  }
  host.terminal.out() << schematic->id() << '\n';
  return Exit::done;
}

Exit run(const SchematicShowRequest& request, const CommonOptions& common, Host& host) {
  const auto schematic = read_file(request.file, host);
  if (!schematic) return give_up(schematic.error(), common, host);
  if (for_programs(common.output)) {
    return show("schematic",
                {{{"file", request.file}, {"id", schematic->id()}, {"text", schematic->text()}}},
                host);
  }
  host.terminal.out() << schematic->text();
  return Exit::done;
}

Exit run(const SchematicDiffRequest& request, const CommonOptions& common, Host& host) {
  const auto before = read_file(request.before, host);
  if (!before) return give_up(before.error(), common, host);
  const auto after = read_file(request.after, host);
  if (!after) return give_up(after.error(), common, host);
  const auto changes = compare(*before, *after);
  if (for_programs(common.output)) {
    std::vector<nlohmann::ordered_json> rows;
    for (const SchematicChange& change : changes) {
      rows.push_back({{"path", change.path}, {"before", change.before}, {"after", change.after}});
    }
    show("schematic_diff", std::move(rows), host);
  } else {
    for (const SchematicChange& change : changes) {
      if (!change.before.empty())
        host.terminal.out() << change_line('-', change.path, change.before);
      if (!change.after.empty()) host.terminal.out() << change_line('+', change.path, change.after);
    }
  }
  const bool differ = before->id() != after->id();
  return differ && request.detailed_exitcode ? Exit::changes_pending : Exit::done;
}

Exit run(const SchematicUploadRequest& request, const CommonOptions& common, Host& host) {
  const auto schematic = read_file(request.file, host);
  if (!schematic) return give_up(schematic.error(), common, host);
  const auto named = host.network.upload_schematic(request.factory, schematic->text());
  if (!named) return give_up(named.error(), common, host);
  if (*named != schematic->id()) {
    // It would build another image than the one that our configs name.
    return give_up(
        Error{Errc::unsafe, fmt::format("{} calls it {}, but its content says {}: the factory "
                                        "understands it in another way",
                                        request.factory, *named, schematic->id())},
        common, host);
  }
  if (for_programs(common.output)) {
    return show("schematic",
                {{{"file", request.file}, {"id", *named}, {"factory", request.factory}}}, host);
  }
  host.terminal.out() << *named << '\n';
  return Exit::done;
}

}  // namespace ichor
