#include "lab/kube/target.h"

#include <algorithm>
#include <charconv>

namespace ichor::lab {

namespace {

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%' && at + 2 < text.size()) {
      unsigned value = 0;
      std::from_chars(text.data() + at + 1, text.data() + at + 3, value, 16);
      out += static_cast<char>(value);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

}  // namespace

Target Target::parse(const std::string& text) {
  Target target;
  const std::size_t mark = text.find('?');
  target.path = unescape(text.substr(0, mark));
  while (target.path.size() > 1 && target.path.ends_with('/')) target.path.pop_back();
  std::string_view query = mark == std::string::npos ? "" : std::string_view(text).substr(mark + 1);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    target.query[unescape(pair.substr(0, equals))] =
        equals < pair.size() ? unescape(pair.substr(equals + 1)) : "";
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return target;
}

std::string Target::get(const std::string& key) const {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

bool Target::flag(const std::string& key) const {
  const std::string value = get(key);
  return value == "true" || value == "1";
}

std::vector<std::string> Target::segments() const {
  std::vector<std::string> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Place Place::of(const Target& target) {
  const std::vector<std::string> parts = target.segments();
  Place place;
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    place.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    place.group = parts[1];
    place.version = parts[2];
    at = 3;
  } else {
    return place;
  }
  // /namespaces/NS and its own subresources are about the namespace itself.
  const bool of_namespace =
      parts.size() == at + 3 && (parts[at + 2] == "status" || parts[at + 2] == "finalize");
  if (parts[at] == "namespaces" && parts.size() > at + 2 && !of_namespace) {
    place.space = parts[at + 1];
    at += 2;
  }
  place.plural = parts[at];
  if (parts.size() > at + 1) place.name = parts[at + 1];
  if (parts.size() > at + 2) place.subresource = parts[at + 2];
  return place;
}

}  // namespace ichor::lab
