#include "yaml/emit.h"

#include <cstdint>
#include <fmt/format.h>

#include "yaml/scalar.h"

namespace ichor::yaml {

namespace {

constexpr int kIndent = 4;

bool is_blank_or_end(std::string_view text, std::size_t i) {
  return i >= text.size() || text[i] == ' ' || text[i] == '\t' || text[i] == '\n' ||
         text[i] == '\r';
}

bool has_block_indicators(std::string_view text) {
  constexpr std::string_view leading = "#,[]{}&*!|>'\"%@`";
  if (text.starts_with("---") || text.starts_with("...")) return true;
  if (leading.find(text.front()) != std::string_view::npos) return true;
  constexpr std::string_view before_blank = "?:-";
  if (before_blank.find(text.front()) != std::string_view::npos && is_blank_or_end(text, 1)) {
    return true;
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':' && is_blank_or_end(text, i + 1)) return true;
    if (text[i] == '#' && is_blank_or_end(text, i - 1)) return true;
  }
  return false;
}

struct CodePoint {
  std::uint32_t value{0};
  std::size_t length{1};
};

/// The text was checked when it was read, or is ours, so no sequence is broken here.
CodePoint code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (first < 0xF0) return {(first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
          4};
}

bool is_printable(std::uint32_t c) {
  if (c == '\n' || (c >= 0x20 && c < 0x7F)) return true;
  if (c < 0xA0 || c == 0xFEFF || c == 0x2028 || c == 0x2029) return false;
  // Go's library escapes what is beyond 16 bits.
  return !(c >= 0xD800 && c < 0xE000) && c < 0xFFFE;
}

struct Traits {
  bool tab{false};
  bool special{false};  // cannot be shown without escapes
  bool line_break{false};
  bool blank_before_break{false};
};

Traits look_at(std::string_view text) {
  Traits traits;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] >= ' ' && text[i] < 0x7F) {
      ++i;
      continue;
    }
    const CodePoint c = code_point(text.substr(i));
    if (c.value == '\t') {
      traits.tab = true;
    } else if (c.value == '\n') {
      traits.line_break = true;
      traits.blank_before_break |= i > 0 && text[i - 1] == ' ';
    } else if (!is_printable(c.value)) {
      traits.special = true;
    }
    i += c.length;
  }
  return traits;
}

bool is_ascii(std::uint32_t c) { return c >= 0x20 && c < 0x7F; }

std::string double_quoted(std::string_view text, bool (*shown)(std::uint32_t) = is_printable) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = code_point(text.substr(i));
    switch (c.value) {
      case 0: out += "\\0"; break;
      case 7: out += "\\a"; break;
      case 8: out += "\\b"; break;
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case 11: out += "\\v"; break;
      case 12: out += "\\f"; break;
      case '\r': out += "\\r"; break;
      case 27: out += "\\e"; break;
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case 0x85: out += "\\N"; break;
      case 0x2028: out += "\\L"; break;
      case 0x2029: out += "\\P"; break;
      default:
        if (shown(c.value)) {
          out += text.substr(i, c.length);
        } else if (c.value <= 0xFF) {
          out += fmt::format("\\x{:02X}", c.value);
        } else if (c.value <= 0xFFFF) {
          out += fmt::format("\\u{:04X}", c.value);
        } else {
          out += fmt::format("\\U{:08X}", c.value);
        }
    }
    i += c.length;
  }
  return out + '"';
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + '\'';
}

/// A string on one line.
void append_inline(std::string& out, std::string_view text) {
  const Traits traits = look_at(text);
  const bool escapes = traits.tab || traits.special || traits.line_break;
  if (text.empty() || escapes || resolves_elsewhere(text)) {
    out += double_quoted(text);
  } else if (text.front() == ' ' || text.back() == ' ' || has_block_indicators(text)) {
    out += single_quoted(text);
  } else {
    out += text;
  }
}

bool fits_literal(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.back() == ' ') return false;
  // libfyaml 0.7 cannot read a literal block of blank lines only, also if they have tabs.
  if (text.find_first_not_of("\n\t ") == std::string_view::npos) return false;
  const Traits traits = look_at(text);
  return !traits.special && !traits.blank_before_break;
}

class Emitter {
 public:
  enum class Hints { right, of_go };
  explicit Emitter(const RemarkMap& remarks, Hints hints = Hints::right)
      : remarks_(remarks), hints_(hints) {}

  void document(const Node& root) {
    above(root, 0);
    if (is_open_collection(root)) {
      collection(root, 0);
    } else {
      scalar(root, 0, kIndent);
    }
    below(root, 0);
  }
  std::string take() { return std::move(out_); }

 private:
  static bool is_open_collection(const Node& node) {
    return !node.items.empty() || !node.entries.empty();
  }

  /// The next stop of the 4-column grid, from wherever we are: inside a list item that is 2 columns
  /// on.
  static int stop_behind(int indent) { return kIndent * ((indent + kIndent) / kIndent); }

  const Remarks* find(const Node& node) const {
    if (remarks_.empty()) return nullptr;
    const auto found = remarks_.find(&node);
    return found == remarks_.end() ? nullptr : &found->second;
  }

  void pad(int indent) { out_.append(static_cast<std::size_t>(indent), ' '); }

  /// Begins and ends where the node begins.
  void above(const Node& node, int indent) {
    const Remarks* remarks = find(node);
    if (!remarks) return;
    for (const std::string& comment : remarks->above) {
      out_ += '#' + comment + '\n';
      pad(indent);
    }
  }

  /// Begins and ends at the beginning of a line.
  void below(const Node& node, int indent) {
    const Remarks* remarks = find(node);
    if (!remarks) return;
    for (const std::string& comment : remarks->below) {
      pad(indent);
      out_ += '#' + comment + '\n';
    }
  }

  void end_line(const Node& node) {
    const Remarks* remarks = find(node);
    if (remarks && !remarks->beside.empty()) out_ += " #" + remarks->beside;
    out_ += '\n';
  }

  void collection(const Node& node, int indent) {
    bool first = true;
    for (const Entry& entry : node.entries) {
      if (!first) pad(indent);
      first = false;
      above(entry.key, indent);
      mapping_entry(entry, indent);
      below(entry.key, indent);
    }
    for (const Node& item : node.items) {
      if (!first) pad(indent);
      first = false;
      above(item, indent);
      out_ += "- ";
      if (is_open_collection(item)) {
        collection(item, indent + 2);
        below(item, indent + 2);
      } else {
        scalar(item, indent, indent + 2);
        below(item, indent);
      }
    }
  }

  void mapping_entry(const Entry& entry, int indent) {
    const Remarks* remarks = find(entry.key);
    const bool verbatim = remarks != nullptr && remarks->verbatim;
    if (entry.key.scalar_type() == ScalarType::string && !verbatim) {
      append_inline(out_, entry.key.text);
    } else {
      out_ += entry.key.text;
    }
    out_ += ':';
    if (!is_open_collection(entry.value)) {
      out_ += ' ';
      return scalar(entry.value, indent, stop_behind(indent));
    }
    out_ += '\n';
    const int inside = stop_behind(indent);
    pad(inside);
    above(entry.value, inside);
    collection(entry.value, inside);
    below(entry.value, inside);
  }

  /// A scalar or an empty collection, and the end of its line. `parent` is where the collection
  /// around it is indented, `indent` where lines of its own would be.
  void scalar(const Node& node, int parent, int indent) {
    const Remarks* remarks = find(node);
    if (node.kind == Kind::scalar && fits_literal(node.text)) {
      return literal(node, parent, indent);
    }
    if (node.kind == Kind::sequence) {
      out_ += "[]";
    } else if (node.kind == Kind::mapping) {
      out_ += "{}";
    } else if (node.kind == Kind::null) {
      out_ += "null";
    } else if (node.scalar_type() != ScalarType::string || (remarks && remarks->verbatim)) {
      out_ += node.text;
    } else {
      append_inline(out_, node.text);
    }
    end_line(node);
  }

  void literal(const Node& node, int parent, int indent) {
    std::string_view text = node.text;
    out_ += '|';
    if (text.front() == ' ' || text.front() == '\n') {
      out_ += std::to_string(hints_ == Hints::of_go ? kIndent : indent - parent);
    }
    if (!text.ends_with('\n')) {
      out_ += '-';
    } else if (text.size() == 1 || text.ends_with("\n\n")) {
      out_ += '+';
    }
    end_line(node);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (!line.empty()) out_.append(static_cast<std::size_t>(indent), ' ').append(line);
      out_ += '\n';
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  const RemarkMap& remarks_;
  Hints hints_;
  std::string out_;
};

}  // namespace

std::string emit(const Node& root) { return emit(root, {}); }

std::string emit(const Node& root, const RemarkMap& remarks) {
  Emitter emitter(remarks);
  emitter.document(root);
  return emitter.take();
}

std::string emit_as_go(const Node& root) {
  const RemarkMap none;
  Emitter emitter(none, Emitter::Hints::of_go);
  emitter.document(root);
  return emitter.take();
}

std::string ascii_scalar(std::string_view text) { return double_quoted(text, is_ascii); }

std::string emit_all(const std::vector<Node>& roots) {
  std::string out;
  for (const Node& root : roots) {
    if (!out.empty()) out += "---\n";
    out += emit(root);
  }
  return out;
}

}  // namespace ichor::yaml
