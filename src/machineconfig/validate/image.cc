#include "machineconfig/validate/image.h"

#include <algorithm>

namespace ichor::validate {

namespace {

bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_word(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_tag(std::string_view tag) {
  return !tag.empty() && tag.size() <= 128 && std::all_of(tag.begin(), tag.end(), [](char c) {
    return is_word(c) || c == '-' || c == '.';
  });
}

bool is_repository(std::string_view name) {
  return name.size() >= 2 && name.size() <= 255 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_lower(c) || c == '_' || c == '-' || c == '.' || c == '/';
         });
}

bool is_digest(std::string_view digest) {
  if (!digest.starts_with("sha256:")) return false;
  digest.remove_prefix(7);
  return digest.size() == 64 && std::all_of(digest.begin(), digest.end(), [](char c) {
           return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9');
         });
}

/// What comes before the first slash is a registry if it looks like one.
bool splits_registry(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost";
}

bool is_registry(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_word(c) || c == '-' || c == '.' || c == ':' || c == '[' || c == ']';
  });
}

}  // namespace

ImageJudgement judge_image(std::string_view image) {
  bool pinned = false;
  if (const std::size_t at = image.find('@'); at != std::string_view::npos) {
    if (!is_digest(image.substr(at + 1))) return ImageJudgement::invalid;
    image = image.substr(0, at);
    pinned = true;
  }
  const std::size_t colon = image.rfind(':');
  if (colon != std::string_view::npos && image.find('/', colon) == std::string_view::npos) {
    if (!is_tag(image.substr(colon + 1))) return ImageJudgement::invalid;
    image = image.substr(0, colon);
  }
  const std::size_t slash = image.find('/');
  if (slash != std::string_view::npos && splits_registry(image.substr(0, slash))) {
    if (!is_registry(image.substr(0, slash))) return ImageJudgement::invalid;
    image.remove_prefix(slash + 1);
  }
  if (!is_repository(image)) return ImageJudgement::invalid;
  return pinned ? ImageJudgement::pinned : ImageJudgement::tagged;
}

}  // namespace ichor::validate
