#include "cli/help_text.h"

#include <algorithm>

namespace ichor {

namespace {

constexpr std::size_t kColumnsMax = 80;
constexpr std::size_t kFirstCellMax = 24;  // a wider one gets a line of its own

using Lines = std::vector<std::string_view>;

/// Columns on the terminal: a UTF-8 sequence counts as one.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

enum class Quotes { none, around_commands };

/// Without backticks and emphasis; a link becomes its text and its address. Code of several words
/// is a command, which may stand in quotes, because it would read as part of the sentence.
std::string without_marks(std::string_view text, Quotes quotes = Quotes::around_commands) {
  std::string plain;
  bool is_code = false;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '`') {
      is_code = !is_code;
      const std::string_view code = text.substr(at + 1, text.find('`', at + 1) - at - 1);
      if (is_code) is_quoted = quotes != Quotes::none && code.find(' ') != code.npos;
      if (is_quoted) plain += '\'';
    } else if (!is_code && text.substr(at).starts_with("**")) {
      ++at;
    } else if (!is_code && c == '[' && text.find("](", at) < text.find(']', at) + 1) {
      const std::size_t middle = text.find("](", at);
      const std::size_t end = std::min(text.find(')', middle), text.size() - 1);
      plain += text.substr(at + 1, middle - at - 1);
      plain += " (";
      plain += text.substr(middle + 2, end - middle - 2);
      plain += ')';
      at = end;
    } else if (c == '\\' && at + 1 < text.size() && text[at + 1] == '|') {
      continue;
    } else {
      plain += c;
    }
  }
  return plain;
}

/// Adds `text` to the page in lines of at most 80 columns. The first line begins with `first`, the
/// others with blanks of the width `indent`.
void add_wrapped(std::string& page, std::string first, std::size_t indent, std::string_view text) {
  std::string line = std::move(first);
  bool begins = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!begins && width(line) + 1 + width(word) > kColumnsMax) {
      page += line + '\n';
      line.assign(indent, ' ');
    } else if (!begins) {
      line += ' ';
    }
    line += word;
    begins = false;
  }
  page += line + '\n';
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(1);
  while (!row.empty()) {
    std::size_t end = row.find('|');
    while (end != std::string_view::npos && end > 0 && row[end - 1] == '\\') {
      end = row.find('|', end + 1);
    }
    if (end == std::string_view::npos) break;
    std::string_view cell = row.substr(0, end);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.push_back(without_marks(cell));
    row.remove_prefix(end + 1);
  }
  return cells;
}

std::string padded(std::string text, std::size_t columns) {
  text.append(columns - std::min(columns, width(text)), ' ');
  return text;
}

/// Two columns stand side by side. Of more, the first is a line, and the others follow below it,
/// from the third on with their heading.
void add_table(std::string& page, const std::vector<std::vector<std::string>>& rows) {
  std::size_t first_width = 0;
  for (const auto& row : rows) first_width = std::max(first_width, width(row.front()));
  const bool side_by_side = rows.front().size() == 2 && first_width <= kFirstCellMax;
  const auto& heading = rows.front();
  for (std::size_t at = side_by_side ? 0 : 1; at < rows.size(); ++at) {
    const auto& row = rows[at];
    if (side_by_side) {
      const std::string& text = row.size() > 1 ? row[1] : row[0];
      add_wrapped(page, "  " + padded(row.front(), first_width + 2), first_width + 4, text);
      continue;
    }
    page += "  " + row.front() + '\n';
    for (std::size_t cell = 1; cell < row.size(); ++cell) {
      const bool is_named = cell > 1 && cell < heading.size();
      add_wrapped(page, std::string(6, ' '), 6,
                  is_named ? heading[cell] + ": " + row[cell] : row[cell]);
    }
  }
}

/// `- `-n`, `--nodes NODES`: what it does` becomes the flag and, below it, what it does.
void add_item(std::string& page, const std::string& text) {
  const std::size_t end = text.find("`: ");
  if (text.starts_with('`') && end != std::string::npos) {
    add_wrapped(page, "  ", 6, without_marks(text.substr(0, end + 1), Quotes::none));
    add_wrapped(page, std::string(6, ' '), 6, without_marks(text.substr(end + 3)));
  } else {
    add_wrapped(page, "  - ", 4, without_marks(text));
  }
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

bool begins_block(std::string_view line) {
  return line.empty() || line.starts_with("- ") || line.starts_with('|') || line.starts_with('#') ||
         line.starts_with("    ");
}

/// The line at `at` and those that go on with it, as one.
std::string joined(const Lines& lines, std::size_t& at, std::string_view first) {
  std::string text(first);
  while (at + 1 < lines.size() && !begins_block(lines[at + 1])) {
    std::string_view next = lines[++at];
    while (next.starts_with(' ')) next.remove_prefix(1);
    text += ' ';
    text += next;
  }
  return text;
}

}  // namespace

Lines text_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string help_text(std::string_view markdown) {
  const Lines lines = text_lines(markdown);
  std::string page;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string_view line = lines[at];
    if (line.empty()) {
      page += '\n';
    } else if (line.starts_with("    ")) {
      page += std::string(line) + '\n';
    } else if (line.starts_with("# ")) {
      page += without_marks(line.substr(2)) + '\n';
    } else if (line.starts_with('#')) {
      page += upper(without_marks(line.substr(line.find(' ') + 1))) + '\n';
    } else if (line.starts_with('|')) {
      std::vector<std::vector<std::string>> rows;
      for (; at < lines.size() && lines[at].starts_with('|'); ++at) {
        if (!lines[at].starts_with("|-")) rows.push_back(cells_of(lines[at]));
      }
      --at;
      std::erase_if(rows, [](const auto& row) { return row.empty(); });
      if (!rows.empty()) add_table(page, rows);
    } else if (line.starts_with("- ")) {
      add_item(page, joined(lines, at, line.substr(2)));
    } else {
      const bool is_usage = line.starts_with("Usage:");
      const Quotes quotes = is_usage ? Quotes::none : Quotes::around_commands;
      add_wrapped(page, "", is_usage ? 7 : 0, without_marks(joined(lines, at, line), quotes));
    }
  }
  return page;
}

}  // namespace ichor
