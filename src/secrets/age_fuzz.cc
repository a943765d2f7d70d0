#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "secrets/age.h"
#include "secrets/age_armor.h"
#include "secrets/age_header.h"
#include "secrets/bech32.h"

namespace {

using namespace ichor;

/// A key that is the same in every run, so that a corpus keeps its meaning.
const age::Identities& identities() {
  static const age::Identities list = [] {
    std::string text = secrets::to_bech32("age-secret-key-", std::string(32, '\x5a'));
    for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    age::Identities made;
    made.own.push_back(age::Identity::parse(text).value());
    return made;
  }();
  return list;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = age::remove_armor(text)) {
    check(age::remove_armor(age::add_armor(*bytes)).value() == *bytes, "armor keeps the bytes");
  }
  if (const auto parsed = age::parse_header(text)) {
    // There is one way to write a header, so what was read must be written alike.
    check(age::write_stanzas(parsed->header.stanzas) == parsed->authenticated,
          "a header has one form");
  }
  (void)age::decrypt(text, identities());
  (void)age::Recipient::parse(text);
  for (const age::KeyLayout layout : {age::KeyLayout::lines, age::KeyLayout::words}) {
    (void)age::parse_identities(text, "fuzz", layout);
  }
  if (const auto decoded = secrets::from_bech32(text)) {
    check(secrets::to_bech32(decoded->prefix, decoded->bytes.reveal()).size() == text.size(),
          "Bech32 has one form");
  }
  return 0;
}
