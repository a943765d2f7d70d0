#include "profile/formats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "base/ip.h"

namespace ichor {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_alphanumeric(char c) { return is_digit(c) || is_lower(c) || is_upper(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// A number without sign and leading zeros, taken from the front.
std::optional<int> take_number(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  if (text.size() > 1 && text.front() == '0' && is_digit(text[1])) return std::nullopt;
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

bool is_port(std::string_view text) {
  const auto port = take_number(text);
  return port && text.empty() && *port > 0 && *port < 65536;
}

bool is_label_key(std::string_view text) {
  return !text.empty() && text.size() <= 317 && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '/';
         });
}

}  // namespace

bool is_name(std::string_view text) {
  const auto edge = [](char c) { return is_lower(c) || is_digit(c); };
  return !text.empty() && text.size() <= 63 && edge(text.front()) && edge(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return edge(c) || c == '-' || c == '.'; });
}

bool is_ip(std::string& text) {
  const auto ip = parse_ip(text);
  if (!ip) return false;
  text = to_text(*ip);
  return true;
}

bool is_cidr(std::string& text) {
  const auto cidr = parse_cidr(text);
  if (!cidr) return false;
  text = to_text(*cidr);
  return true;
}

bool is_mac(std::string& text) {
  auto mac = normal_mac(text);
  if (!mac) return false;
  text = std::move(*mac);
  return true;
}

bool is_uuid(std::string& text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  for (char& c : text) {
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return true;
}

bool is_fingerprint(std::string_view text) {
  return text.size() == 44 && text.back() == '=' &&
         std::all_of(text.begin(), text.end() - 1,
                     [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
}

bool is_schematic(std::string_view text) {
  return text.size() == 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_hex(c) && !is_upper(c); });
}

bool is_host(std::string_view text) {
  if (parse_ip(text)) return true;
  const bool numbers =
      std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
  return !text.empty() && text.size() <= 253 && !numbers && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return is_alphanumeric(c) || c == '-' || c == '.';
         });
}

bool is_endpoint(std::string& text) {
  constexpr std::string_view scheme = "https://";
  std::string_view rest = text;
  if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size());
  std::string host(rest);
  std::string port = "6443";
  const bool bare_v6 = parse_ip(rest).has_value() && rest.find(':') != std::string_view::npos;
  const std::size_t colon = rest.rfind(':');
  const bool bracketed = rest.starts_with('[');
  if (bracketed) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return false;
    host = std::string(rest.substr(1, close - 1));
    const std::string_view tail = rest.substr(close + 1);
    if (!tail.empty() && tail.front() != ':') return false;
    if (!tail.empty()) port = std::string(tail.substr(1));
  } else if (!bare_v6 && colon != std::string_view::npos) {
    host = std::string(rest.substr(0, colon));
    port = std::string(rest.substr(colon + 1));
  }
  if (!is_host(host) || !is_port(port)) return false;
  const bool v6 = host.find(':') != std::string::npos;
  if (bracketed && !v6) return false;
  text = fmt::format("{}{}{}{}:{}", scheme, v6 ? "[" : "", host, v6 ? "]" : "", port);
  return true;
}

bool is_interface(std::string_view text) {
  return !text.empty() && text.size() <= 15 && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '@';
         });
}

bool is_disk(std::string_view text) {
  constexpr std::string_view prefix = "/dev/";
  return text.starts_with(prefix) && text.size() > prefix.size() && text.size() <= 255 &&
         text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_disk_size(std::string_view text) {
  for (const std::string_view operation : {">=", "<=", "==", ">", "<"}) {
    if (!text.starts_with(operation)) continue;
    text.remove_prefix(operation.size());
    break;
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, digits);
  const auto points = std::count(number.begin(), number.end(), '.');
  if (number.empty() || points > 1 || number.front() == '.' || number.back() == '.') return false;
  std::string unit(text.substr(digits));
  std::erase(unit, ' ');
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  if (unit.empty() || unit == "b") return true;
  if (std::string_view("kmgtpe").find(unit.front()) == std::string_view::npos) return false;
  const std::string_view rest = std::string_view(unit).substr(1);
  return rest.empty() || rest == "b" || rest == "i" || rest == "ib";
}

std::optional<TalosVersion> parse_version(std::string_view text, bool minor_only) {
  if (text.starts_with('v')) text.remove_prefix(1);
  TalosVersion version;
  std::array<int*, 3> parts = {&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      if (minor_only && i == 2 && text.empty()) return version;
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    *parts[i] = *number;
  }
  return text.empty() ? std::optional(version) : std::nullopt;
}

std::optional<Taint> parse_taint(std::string_view text) {
  constexpr std::array<std::string_view, 3> effects = {"NoSchedule", "PreferNoSchedule",
                                                       "NoExecute"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Taint taint;
  taint.effect = std::string(text.substr(colon + 1));
  const std::string_view left = text.substr(0, colon);
  const std::size_t equals = left.find('=');
  taint.key = std::string(left.substr(0, equals));
  if (equals != std::string_view::npos) taint.value = std::string(left.substr(equals + 1));
  const bool known = std::find(effects.begin(), effects.end(), taint.effect) != effects.end();
  const bool clean_value = taint.value.empty() || is_label_key(taint.value);
  if (!known || !is_label_key(taint.key) || !clean_value) return std::nullopt;
  return taint;
}

}  // namespace ichor
