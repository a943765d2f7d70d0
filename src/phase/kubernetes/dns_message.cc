#include "phase/kubernetes/dns_message.h"

#include <array>
#include <fmt/format.h>

#include "base/check.h"

namespace ichor {

namespace {

constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kLabelMax = 63;
constexpr std::uint16_t kInternet = 1;
constexpr std::uint16_t kResponse = 0x8000;
constexpr std::uint16_t kRecursionDesired = 0x0100;
constexpr std::uint8_t kPointer = 0xC0;

void put(std::string& bytes, std::uint16_t number) {
  bytes += static_cast<char>(number >> 8);
  bytes += static_cast<char>(number & 0xFF);
}

/// Reads numbers and names from a message; past the end everything is 0, and `ok` says so.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }

  std::uint8_t byte() {
    if (rest_.empty()) {
      ok_ = false;
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::uint16_t number() {
    const std::uint16_t high = byte();
    return static_cast<std::uint16_t>(high << 8 | byte());
  }
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) ok_ = false;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// A name ends with an empty label, or with a pointer to somewhere else.
  void skip_name() {
    while (ok_) {
      const std::uint8_t length = byte();
      if ((length & kPointer) == kPointer) byte();
      if (length == 0 || (length & kPointer) == kPointer) return;
      take(length);
    }
  }

 private:
  std::string_view rest_;
  bool ok_{true};
};

std::string address_text(std::string_view bytes, DnsType type) {
  std::vector<std::string> parts;
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if (type == DnsType::a) {
    for (std::size_t i = 0; i < bytes.size(); ++i) parts.push_back(fmt::to_string(at(i)));
    return fmt::format("{}", fmt::join(parts, "."));
  }
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    parts.push_back(fmt::format("{:x}", at(i) << 8 | at(i + 1)));
  }
  return fmt::format("{}", fmt::join(parts, ":"));
}

}  // namespace

std::string dns_question(std::uint16_t id, std::string_view name, DnsType type) {
  std::string body;
  put(body, id);
  put(body, kRecursionDesired);
  for (const std::uint16_t count : {1, 0, 0, 0}) put(body, count);
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    check(!label.empty(), "a name has no empty part");
    check(label.size() <= kLabelMax, "a part of a name is short");
    body += static_cast<char>(label.size());
    body += label;
    name.remove_prefix(std::min(label.size() + 1, name.size()));
  }
  body += '\0';
  put(body, static_cast<std::uint16_t>(type));
  put(body, kInternet);
  std::string whole;
  put(whole, static_cast<std::uint16_t>(body.size()));
  return whole + body;
}

bool is_whole_dns_answer(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return false;
  Reader reader(bytes);
  const std::size_t length = reader.number();
  return bytes.size() - kLengthBytes >= length;
}

Result<DnsAnswer> read_dns_answer(std::string_view bytes, std::uint16_t id, DnsType type) {
  Reader reader(bytes);
  const std::size_t length = reader.number();
  if (length < kHeaderBytes) return fail(Errc::invalid, "the answer is not a DNS message");
  const std::uint16_t its_id = reader.number();
  const std::uint16_t flags = reader.number();
  if (its_id != id || (flags & kResponse) == 0) {
    return fail(Errc::invalid, "the answer is not for this question");
  }
  DnsAnswer answer;
  answer.code = flags & 0xF;
  const std::uint16_t questions = reader.number();
  const std::uint16_t answers = reader.number();
  reader.take(4);  // counts of what we do not read
  for (int i = 0; i < questions && reader.ok(); ++i) {
    reader.skip_name();
    reader.take(4);  // type and class
  }
  for (int i = 0; i < answers && reader.ok(); ++i) {
    reader.skip_name();
    const std::uint16_t its_type = reader.number();
    const std::uint16_t its_class = reader.number();
    reader.take(4);  // how long it may be kept
    const std::string_view content = reader.take(reader.number());
    const std::size_t size = type == DnsType::a ? 4 : 16;
    const bool wanted = its_type == static_cast<std::uint16_t>(type) && its_class == kInternet;
    if (wanted && content.size() == size) answer.addresses.push_back(address_text(content, type));
  }
  if (!reader.ok()) return fail(Errc::invalid, "the answer is cut short");
  return answer;
}

std::string dns_code_name(int code) {
  constexpr std::array<const char*, 6> kNames{"NOERROR",  "FORMERR", "SERVFAIL",
                                              "NXDOMAIN", "NOTIMP",  "REFUSED"};
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : fmt::format("code {}", code);
}

}  // namespace ichor
