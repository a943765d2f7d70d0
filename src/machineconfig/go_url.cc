#include "machineconfig/go_url.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool escapes_are_whole(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    i += 2;
  }
  return true;
}

/// Go's host: no blanks and none of the characters that end or quote a URL; a port is of digits.
bool is_host(std::string_view host) {
  if (host.find_first_of(" \"<>\\^`{|}#?/") != std::string_view::npos) return false;
  if (host.find('%') != std::string_view::npos && !host.starts_with('[')) return false;
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t close = host.rfind(']');
    if (close == std::string_view::npos) return false;
    port = host.substr(close + 1);
  } else {
    if (host.find_first_of("[]") != std::string_view::npos) return false;
    port = host.substr(std::min(host.find(':'), host.size()));
    if (host.rfind(':') != host.find(':')) return false;
  }
  if (port.empty()) return true;
  return port.front() == ':' && std::all_of(port.begin() + 1, port.end(), is_digit);
}

/// Cuts the scheme off; false if there is a colon in its place and no scheme before it.
bool take_scheme(std::string_view& text, std::string& scheme) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (is_digit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return true;
      continue;
    }
    if (c != ':') return true;
    if (i == 0) return false;
    scheme = text.substr(0, i);
    for (char& letter : scheme) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    text.remove_prefix(i + 1);
    return true;
  }
  return true;
}

bool take_authority(std::string_view& text, GoUrl& url) {
  text.remove_prefix(2);
  const std::size_t end = std::min(text.find('/'), text.size());
  std::string_view authority = text.substr(0, end);
  text.remove_prefix(end);
  url.empty_authority = authority.empty();
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
    if (!escapes_are_whole(url.user)) return false;
    if (url.user.find_first_of(" \"<>\\^`{|}#?/[]") != std::string::npos) return false;
  }
  url.host = authority;
  return is_host(url.host);
}

/// Letters, digits and what Go leaves alone in a path.
std::string escape_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_letter(c) || is_digit(c) ||
                       std::string_view("-_.~$&+,/:;=@%!'()*[]").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

std::optional<GoUrl> parse_go_url(std::string_view text) {
  GoUrl url;
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control) return std::nullopt;
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    url.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
    if (!escapes_are_whole(url.fragment)) return std::nullopt;
  }
  if (text == "*") {
    url.path = "*";
    return url;
  }
  if (!take_scheme(text, url.scheme)) return std::nullopt;
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    url.query = text.substr(mark + 1);
    url.empty_query = url.query.empty();
    text = text.substr(0, mark);
  }
  if (!text.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = text;
      return url;
    }
    const std::string_view segment = text.substr(0, text.find('/'));
    if (segment.find(':') != std::string_view::npos) return std::nullopt;
  }
  if (text.starts_with("//") && (!url.scheme.empty() || !text.starts_with("///"))) {
    if (!take_authority(text, url)) return std::nullopt;
  }
  if (!escapes_are_whole(text)) return std::nullopt;
  url.path = text;
  return url;
}

std::string write_go_url(const GoUrl& url) {
  std::string out;
  if (!url.scheme.empty()) out += url.scheme + ":";
  if (!url.opaque.empty()) {
    out += url.opaque;
  } else {
    if (!url.scheme.empty() || !url.host.empty() || !url.user.empty()) {
      const bool authority = !url.host.empty() || !url.user.empty() || url.empty_authority;
      if (authority || url.path.starts_with("//")) out += "//";
      if (!url.user.empty()) out += url.user + "@";
      out += url.host;
    }
    const std::string path = escape_path(url.path);
    if (!path.empty() && path.front() != '/' && !url.host.empty()) out += '/';
    out += path;
  }
  if (url.empty_query || !url.query.empty()) out += "?" + url.query;
  if (!url.fragment.empty()) out += "#" + url.fragment;
  return out;
}

std::optional<GoUrl> merge_go_urls(const GoUrl& left, const GoUrl& right) {
  if (!left.user.empty() && !right.user.empty()) return std::nullopt;
  GoUrl merged = left;
  const auto take = [](std::string& target, const std::string& source) {
    if (!source.empty()) target = source;
  };
  take(merged.scheme, right.scheme);
  take(merged.opaque, right.opaque);
  take(merged.user, right.user);
  take(merged.host, right.host);
  take(merged.path, right.path);
  take(merged.query, right.query);
  take(merged.fragment, right.fragment);
  merged.empty_query = right.empty_query;
  merged.empty_authority = right.empty_authority;
  return merged;
}

}  // namespace ichor
