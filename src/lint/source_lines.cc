#include "lint/source_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/redact.h"

namespace ichor {

namespace {

struct Place {
  std::string file;
  std::size_t line{0}, column{0};
};

std::optional<std::size_t> take_number(std::string_view& where) {
  const std::size_t colon = where.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::size_t number = 0;
  const char* const end = where.data() + where.size();
  const auto [stop, error] = std::from_chars(where.data() + colon + 1, end, number);
  if (error != std::errc() || stop != end || number == 0) return std::nullopt;
  where = where.substr(0, colon);
  return number;
}

std::optional<Place> place_of(std::string_view where) {
  const auto column = take_number(where);
  const auto line = column ? take_number(where) : std::nullopt;
  if (!line) return std::nullopt;
  return Place{std::string(where), *line, *column};
}

std::string line_of(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string line(text.substr(0, text.find_first_of("\r\n")));
  // One column each, so that the caret stays where it is meant.
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

std::string lower(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return low;
}

/// The line up to the first key whose value may be a secret.
std::string without_secrets(std::string line) {
  constexpr std::array<std::string_view, 9> words = {"password", "token", "secret",   "key", "auth",
                                                     "crt",      "cert",  "identity", "enc["};
  const std::string low = lower(line);
  for (const std::string_view word : words) {
    const std::size_t at = low.find(word);
    if (at == std::string::npos) continue;
    const std::size_t sign = line.find_first_of(":=", at);
    if (sign != std::string::npos) line = line.substr(0, sign + 1) + " …";
    return line;
  }
  return line;
}

/// Where the content of a line begins: behind its indent and the dashes of lists.
std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" -"), line.size());
}

/// Whether a line lies below a key all of whose values may be secret, or is one: variables of the
/// environment, headers, contents of files and manifests.
bool lies_below_secrets(std::string_view text, std::size_t number) {
  constexpr std::array<std::string_view, 8> keys = {
      "env",  "environment", "extramanifestheaders", "contents", "content", "variables",
      "data", "stringdata"};
  std::vector<std::pair<std::size_t, bool>> above;  // indent of each key, and whether it is secret
  for (; number > 0 && !text.empty(); --number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t indent = indent_of(line);
    if (indent == line.size() || line[indent] == '#') continue;
    while (!above.empty() && above.back().first >= indent) above.pop_back();
    const std::string key = lower(line.substr(indent, line.find(':', indent) - indent));
    above.emplace_back(indent, std::find(keys.begin(), keys.end(), key) != keys.end());
  }
  return std::any_of(above.begin(), above.end(), [](const auto& key) { return key.second; });
}

}  // namespace

void show_source_lines(std::vector<Finding>& findings, Files& files) {
  std::map<std::string, std::string> texts;
  for (Finding& finding : findings) {
    const auto place = place_of(finding.where);
    if (!place || finding.id == "patch.secret") continue;
    const auto [known, is_new] = texts.try_emplace(place->file);
    if (is_new && files.has_file(place->file)) {
      known->second = files.read_input(place->file).value_or("");
    }
    std::string line = line_of(known->second, place->line);
    constexpr std::size_t columns_max = 160;
    if (line.empty() || line.size() > columns_max) continue;
    if (!is_clean(line) || lies_below_secrets(known->second, place->line)) continue;
    line = redact_urls(without_secrets(std::move(line)));
    if (place->column > line.size()) continue;
    const std::string number = fmt::format("{}", place->line);
    finding.what += fmt::format("\n    {} | {}\n    {:{}} | {:{}}^", number, line, "",
                                number.size(), "", place->column - 1);
  }
}

}  // namespace ichor
