#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/secret.h"
#include "port/page_server.h"

namespace ichor {

/// What opens the pages on a port, which every user of this computer can reach, and every web page
/// that a browser on it shows.
struct PageKeys {
  SecretString token;    // in the URL that is printed, and in the Authorization header
  SecretString session;  // in the cookie, in place of the token
  /// The folder of all pages for browsers. A cookie belongs to a host, not to a port: only requests
  /// below this folder carry ours, and no other server of this computer knows the name.
  std::string folder;
  std::uint16_t port{0};
};

/// A request that may be answered.
struct Admitted {
  std::string root;   // what links start with: "/" or "/FOLDER/"
  std::string path;   // below the root, without the query
  std::string query;  // without the question mark
};

/// Judges who asks, before anything is looked at: method, form, host (a name that resolves to
/// loopback must not do), origin, then the token, in constant time. A request through a private
/// socket needs no token. Else it is the reply that refuses, or the one that sets the cookie. Pure.
tl::expected<Admitted, PageReply> admit(const PageRequest& request, const PageKeys& keys);

/// A page that says what is wrong and what to do; both are texts.
PageReply refusal(int status, std::string_view what, std::string_view fix);

/// The value of NAME=VALUE in a query; empty if it is missing.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace ichor
