#include "machineconfig/typed_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/ip.h"
#include "machineconfig/go_scalar.h"
#include "machineconfig/go_url.h"
#include "machineconfig/rules.h"
#include "secrets/base64.h"
#include "yaml/build.h"

namespace ichor {

namespace {

using schema::Shape;
using Typed = tl::expected<yaml::Node, std::string>;

tl::unexpected<std::string> wanted(std::string what) {
  return tl::unexpected<std::string>(std::move(what));
}

yaml::Node plain(std::string text) {
  yaml::Node node = yaml::make_int(0);
  node.text = std::move(text);
  return node;
}

constexpr std::array<std::string_view, 8> kYes = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"};
constexpr std::array<std::string_view, 8> kNo = {"n", "N", "no", "No", "NO", "off", "Off", "OFF"};

Typed read_flag(const yaml::Node& node) {
  const GoScalar scalar = read_go_scalar(node);
  if (scalar.type == GoScalar::Type::boolean) return yaml::make_bool(scalar.flag);
  if (scalar.type == GoScalar::Type::text) {
    if (std::find(kYes.begin(), kYes.end(), node.text) != kYes.end()) return yaml::make_bool(true);
    if (std::find(kNo.begin(), kNo.end(), node.text) != kNo.end()) return yaml::make_bool(false);
  }
  return wanted("true or false");
}

/// The integer of a scalar. 5.0 is one; Talos 1.12 would cut the fraction of 5.5 off.
std::optional<std::uint64_t> unsigned_of(const yaml::Node& node, std::uint64_t max) {
  const GoScalar scalar = read_go_scalar(node);
  std::uint64_t number = 0;
  switch (scalar.type) {
    case GoScalar::Type::integer:
      if (scalar.integer < 0) return std::nullopt;
      number = static_cast<std::uint64_t>(scalar.integer);
      break;
    case GoScalar::Type::large: number = scalar.large; break;
    case GoScalar::Type::floating:
      if (!(scalar.floating >= 0 && scalar.floating < 18446744073709551615.0)) return std::nullopt;
      if (std::trunc(scalar.floating) != scalar.floating) return std::nullopt;
      number = static_cast<std::uint64_t>(scalar.floating);
      break;
    default: return std::nullopt;
  }
  return number <= max ? std::optional(number) : std::nullopt;
}

Typed read_unsigned(const yaml::Node& node, std::uint64_t max) {
  if (const auto number = unsigned_of(node, max)) return plain(std::to_string(*number));
  return wanted(fmt::format("an integer from 0 to {}", max));
}

Typed read_signed(const yaml::Node& node) {
  const GoScalar scalar = read_go_scalar(node);
  if (scalar.type == GoScalar::Type::integer) return yaml::make_int(scalar.integer);
  constexpr double limit = 9223372036854775807.0;
  if (scalar.type == GoScalar::Type::floating && std::abs(scalar.floating) < limit &&
      std::trunc(scalar.floating) == scalar.floating) {
    return yaml::make_int(static_cast<std::int64_t>(scalar.floating));
  }
  return wanted("an integer");
}

Typed read_int32(const yaml::Node& node) {
  Typed number = read_signed(node);
  const auto value = number ? number->as_int() : std::nullopt;
  using Limits = std::numeric_limits<std::int32_t>;
  if (value && *value >= Limits::min() && *value <= Limits::max()) return number;
  return wanted("an integer of 32 bits");
}

Typed read_duration(const yaml::Node& node) {
  const bool text = read_go_scalar(node).type == GoScalar::Type::text;
  const auto duration = text ? parse_go_duration(node.text) : std::nullopt;
  if (!duration) return wanted("a duration such as 90s or 5m");
  return yaml::make_string(write_go_duration(*duration));
}

Typed read_address(const std::string& text) {
  if (text.empty()) return yaml::make_string("");
  const std::string bare = text.substr(0, text.find('%'));
  const auto ip = parse_ip(bare);
  const bool zoned = bare.size() != text.size();
  if (!ip || (zoned && (!ip->v6 || bare.size() + 1 == text.size()))) {
    return wanted("an IP address");
  }
  return yaml::make_string(to_text(*ip) + text.substr(bare.size()));
}

Typed read_prefix(const std::string& text) {
  if (text.empty()) return yaml::make_string("");
  const auto cidr = parse_cidr(text);
  if (!cidr) return wanted("a network such as 10.0.0.0/8");
  return yaml::make_string(to_text(*cidr));
}

Typed read_address_port(const std::string& text) {
  if (text.empty()) return yaml::make_string("");
  const std::size_t colon = text.rfind(':');
  const std::string what = "an IP address with a port";
  if (colon == std::string::npos || colon == 0) return wanted(what);
  std::string host = text.substr(0, colon);
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  if (brackets) host = host.substr(1, host.size() - 2);
  const auto ip = parse_ip(host);
  const auto port = unsigned_of(plain(text.substr(colon + 1)), 65535);
  const bool digits = text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (!ip || !port || !digits || ip->v6 != brackets) return wanted(what);
  const std::string shown = brackets ? "[" + to_text(*ip) + "]" : to_text(*ip);
  return yaml::make_string(fmt::format("{}:{}", shown, *port));
}

Typed read_hex(std::string text) {
  std::erase(text, ':');
  const auto hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  if (text.size() % 2 != 0 || !std::all_of(text.begin(), text.end(), hex)) {
    return wanted("pairs of hex digits such as 2e:3c:4d:5e:6f:70");
  }
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && i % 2 == 0) out += ':';
    out += text[i] >= 'A' && text[i] <= 'F' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
  }
  return yaml::make_string(out);
}

/// A size that is left free is written with a minus sign.
bool is_byte_size(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return parse_byte_count(text).has_value();
}

Typed read_size(const std::string& text) {
  if (text.find('%') == std::string::npos) {
    if (text.empty() || is_byte_size(text)) return yaml::make_string(text);
    return wanted("a size such as 10GiB or 50%");
  }
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const auto number = plain(text.substr(sign, text.size() - 1 - sign)).as_double();
  if (!text.ends_with('%') || !number || !(*number >= 0 && *number <= 100)) {
    return wanted("percents from 0% to 100%");
  }
  return yaml::make_string(text);
}

Typed read_disk_size(const std::string& text) {
  const auto bytes = parse_byte_count(text);
  if (!bytes) return wanted("a size such as 10GB");
  const std::string shown = write_byte_count(*bytes);
  if (*bytes % 1000 == 0 && parse_byte_count(shown) == *bytes) return yaml::make_string(shown);
  return plain(std::to_string(*bytes));
}

Typed read_size_condition(std::string text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string::npos) return wanted("a condition such as '>= 100GB'");
  text = text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from);
  std::string_view size = text;
  for (const std::string_view op : {">=", "<=", "==", ">", "<"}) {
    if (!size.starts_with(op)) continue;
    size.remove_prefix(op.size());
    break;
  }
  size.remove_prefix(std::min(size.find_first_not_of(" \t"), size.size()));
  if (!parse_byte_count(size)) return wanted("a condition such as '>= 100GB'");
  return yaml::make_string(text);
}

Typed read_port_range(const yaml::Node& node) {
  if (const auto port = unsigned_of(node, 65535)) return plain(std::to_string(*port));
  const std::string what = "a port or a range such as 1200-1299";
  const std::size_t dash = node.text.find('-');
  if (dash == std::string::npos) return wanted(what);
  const std::string first = node.text.substr(0, dash);
  const std::string last = node.text.substr(dash + 1);
  const auto whole = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
           text.size() < 10 && std::stoi(text) <= 65535;
  };
  if (!whole(first) || !whole(last)) return wanted(what);
  if (std::stoi(first) == std::stoi(last)) return plain(std::to_string(std::stoi(first)));
  return yaml::make_string(fmt::format("{}-{}", std::stoi(first), std::stoi(last)));
}

Typed read_base64(const schema::Field& field, const std::string& text) {
  // A config that was shown with its keys hidden can be read again.
  if (field.secret && text == "******") return yaml::make_string(text);
  std::string bare = text;
  std::erase_if(bare, [](char c) { return c == '\n' || c == '\r'; });
  if (!pki::from_base64(bare)) return wanted("base64");
  return yaml::make_string(bare);
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// A word, whatever the case of its letters.
Typed read_choice(const std::vector<std::string>& words, const std::string& text) {
  for (const std::string& word : words) {
    const bool shown = word.find('(') == std::string::npos;
    if (shown && lower(word) == lower(text)) return yaml::make_string(word);
  }
  std::vector<std::string> shown;
  for (const std::string& word : words) {
    if (word.find('(') == std::string::npos) shown.push_back(word);
  }
  return wanted(fmt::format("one of {}", fmt::join(shown, ", ")));
}

Typed read_routing_table(const std::string& text) {
  for (const std::string_view word : {"unspec", "default", "main", "local"}) {
    if (text == word) return yaml::make_string(text);
  }
  const bool number = !text.empty() && text.size() <= 3 && text.front() != '0' &&
                      text.find_first_not_of("0123456789") == std::string::npos &&
                      std::stoi(text) <= 252;
  if (!number) return wanted("a table from 1 to 252, or default, main or local");
  return yaml::make_string(text);
}

Typed read_url(const std::string& text) {
  const auto url = parse_go_url(text);
  if (!url) return wanted("a URL such as https://192.168.22.100:6443");
  return yaml::make_string(write_go_url(*url));
}

Typed read_argument(const yaml::Node& node) {
  if (!node.is_sequence()) return yaml::make_string(node.text);
  yaml::Node list = yaml::list(std::vector<yaml::Node>{});
  for (const yaml::Node& item : node.items) {
    if (item.is_null()) continue;
    if (!item.is_scalar()) return wanted("a text or a list of texts");
    list.items.push_back(yaml::make_string(item.text));
  }
  return list;
}

/// A text may be written without quotes, save what looks like a date by some rules.
Typed read_text(const yaml::Node& node, int minor) {
  const bool plain = node.style == yaml::Style::plain;
  if (plain && rules_of(minor).refuses_dates && is_go_date(node.text)) {
    return wanted("a text; a date needs quotes");
  }
  return yaml::make_string(node.text);
}

Typed read_any(const schema::Field& field, const yaml::Node& node, int minor) {
  const std::string& text = node.text;
  switch (field.shape) {
    case Shape::text: return read_text(node, minor);
    case Shape::cel: return yaml::make_string(text);
    case Shape::flag: return read_flag(node);
    case Shape::int64: return read_signed(node);
    case Shape::int32: return read_int32(node);
    case Shape::uint8: return read_unsigned(node, std::numeric_limits<std::uint8_t>::max());
    case Shape::uint16: return read_unsigned(node, std::numeric_limits<std::uint16_t>::max());
    case Shape::uint32: return read_unsigned(node, std::numeric_limits<std::uint32_t>::max());
    case Shape::uint64: return read_unsigned(node, std::numeric_limits<std::uint64_t>::max());
    case Shape::duration: return read_duration(node);
    case Shape::url: return read_url(text);
    case Shape::base64: return read_base64(field, text);
    case Shape::address: return read_address(text);
    case Shape::prefix: return read_prefix(text);
    case Shape::address_port: return read_address_port(text);
    case Shape::hex_bytes: return read_hex(text);
    case Shape::byte_size:
      if (text.empty() || is_byte_size(text)) return yaml::make_string(text);
      return wanted("a size such as 10GiB");
    case Shape::size: return read_size(text);
    case Shape::disk_size: return read_disk_size(text);
    case Shape::file_mode: {
      const auto mode = unsigned_of(node, std::numeric_limits<std::uint32_t>::max());
      return mode ? Typed(plain(fmt::format("0o{:o}", *mode))) : wanted("a mode such as 0o644");
    }
    case Shape::size_condition: return read_size_condition(text);
    case Shape::port_range: return read_port_range(node);
    case Shape::argument: return read_argument(node);
    case Shape::routing_table: return read_routing_table(text);
    case Shape::choice: return read_choice(field.choice->words_of(minor), text);
    case Shape::free:
    case Shape::object: break;
  }
  return wanted("a mapping");
}

}  // namespace

Typed read_typed(const schema::Field& field, const yaml::Node& node, int minor) {
  if (!node.is_scalar() && !(field.shape == Shape::argument && node.is_sequence())) {
    yaml::Node probe = yaml::make_string("");
    auto meant = read_any(field, probe, minor);
    return wanted(meant ? "a text" : meant.error());
  }
  Typed value = read_any(field, node, minor);
  if (value) value->at = node.at;
  return value;
}

bool is_zero(const schema::Field& field, const yaml::Node& value) {
  if (value.is_null()) return true;
  if (value.is_sequence()) return false;
  switch (field.shape) {
    case Shape::flag: return value.text == "false";
    case Shape::int64:
    case Shape::int32:
    case Shape::uint8:
    case Shape::uint16:
    case Shape::uint32:
    case Shape::uint64: return value.text == "0";
    case Shape::disk_size: return value.text == "0" || value.text == "0 B";
    case Shape::file_mode: return value.text == "0o0";
    case Shape::duration: return value.text == "0s";
    case Shape::routing_table: return value.text == "unspec";
    case Shape::choice: return value.text == field.choice->words.front().text;
    default: return value.text.empty();
  }
}

yaml::Node zero_of(const schema::Field& field) {
  switch (field.shape) {
    case Shape::flag: return yaml::make_bool(false);
    case Shape::int64:
    case Shape::int32:
    case Shape::uint8:
    case Shape::uint16:
    case Shape::uint32:
    case Shape::uint64: return yaml::make_int(0);
    case Shape::disk_size: return yaml::make_string("0 B");
    case Shape::file_mode: return plain("0o0");
    case Shape::duration: return yaml::make_string("0s");
    case Shape::routing_table: return yaml::make_string("unspec");
    case Shape::choice: return yaml::make_string(field.choice->words.front().text);
    default: return yaml::make_string("");
  }
}

yaml::Node normal_free(const yaml::Node& node) {
  yaml::Node out = node;
  if (node.is_scalar()) {
    const GoScalar scalar = read_go_scalar(node);
    switch (scalar.type) {
      case GoScalar::Type::null: break;
      case GoScalar::Type::boolean: out.text = scalar.flag ? "true" : "false"; break;
      case GoScalar::Type::integer: out.text = std::to_string(scalar.integer); break;
      case GoScalar::Type::large: out.text = std::to_string(scalar.large); break;
      case GoScalar::Type::floating: out.text = write_go_float(scalar.floating); break;
      case GoScalar::Type::text: out.style = yaml::Style::quoted; break;
    }
  }
  for (yaml::Node& item : out.items) item = normal_free(item);
  for (yaml::Entry& entry : out.entries) {
    entry.key.style = yaml::Style::quoted;
    entry.value = normal_free(entry.value);
  }
  return out;
}

}  // namespace ichor
