#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ichor {

/// A question and its answer as DNS over TCP carries them (RFC 1035, RFC 7766), as far as a lookup
/// of an address needs it.

enum class DnsType : std::uint16_t { a = 1, aaaa = 28 };

struct DnsAnswer {
  int code{0};                         // 0: no error
  std::vector<std::string> addresses;  // of the type that was asked for
};

/// The bytes of a question for `name`, with their length before them. Parts of the name must be
/// shorter than 64 bytes.
std::string dns_question(std::uint16_t id, std::string_view name, DnsType type);

/// Whether all of an answer has come.
bool is_whole_dns_answer(std::string_view bytes);

/// What a whole answer says; Errc::invalid if it is none to this question.
Result<DnsAnswer> read_dns_answer(std::string_view bytes, std::uint16_t id, DnsType type);

/// "NXDOMAIN", "SERVFAIL", or the number.
std::string dns_code_name(int code);

}  // namespace ichor
