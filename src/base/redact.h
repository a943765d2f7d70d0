#pragma once

#include <string>

namespace ichor {

/// Hides what must not be shown of a text for people: the credentials of URLs, and the values of
/// `name=value` whose name says that they are secret (jointoken, password, api_key), as they stand
/// in queries, in kernel arguments and among variables.
std::string redact_urls(std::string text);

}  // namespace ichor
