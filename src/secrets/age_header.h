#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ichor::age {

/// One way to the file key: its kind, its arguments and the key as this way wraps it.
struct Stanza {
  std::string type;
  std::vector<std::string> arguments;
  std::string body;
};

/// What stands before the payload of an age file.
struct Header {
  std::vector<Stanza> stanzas;
  std::string mac;
};

struct ParsedHeader {
  Header header;
  std::string_view authenticated;  // what the MAC is made over
  std::string_view payload;
};

/// Base64 without padding, in its one canonical form.
std::string base64_raw(std::string_view bytes);
Result<std::string> from_base64_raw(std::string_view text);

/// Whether the bytes begin as an age file does.
bool is_age_file(std::string_view bytes);

/// The views of the result point into `file`. At most 1,000 stanzas and 1 MiB are taken.
Result<ParsedHeader> parse_header(std::string_view file);

/// The header up to and with its three dashes, which the MAC is made over.
std::string write_stanzas(const std::vector<Stanza>& stanzas);

}  // namespace ichor::age
