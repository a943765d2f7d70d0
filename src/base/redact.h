#pragma once

#include <string>

namespace ichor {

/// The text with the credentials of every URL in it replaced: "tcp://user:password@host" becomes
/// "tcp://***@host". For everything that people or programs are shown.
std::string redact_urls(std::string text);

}  // namespace ichor
