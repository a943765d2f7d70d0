#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ichor {

/// A URL in the parts that Go's net/url has. Talos merges two URLs part by part, so that a patch
/// with a new host keeps an old path.
struct GoUrl {
  std::string scheme;  // lower case
  std::string opaque;  // of "mailto:someone"
  std::string user;    // as written, without the @
  std::string host;    // with its port
  std::string path;    // as written
  std::string query;   // without the question mark
  std::string fragment;
  bool empty_query{false};
  bool empty_authority{false};  // "file:///x": the two slashes are there
};

/// nullopt for what Go refuses: a bad port or escape, blanks in the host, a first segment with a
/// colon.
std::optional<GoUrl> parse_go_url(std::string_view text);
std::string write_go_url(const GoUrl& url);

/// `right` over `left`: parts that `right` has replace those of `left`. nullopt if both have a
/// user, which Talos cannot merge.
std::optional<GoUrl> merge_go_urls(const GoUrl& left, const GoUrl& right);

}  // namespace ichor
