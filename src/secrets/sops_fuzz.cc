#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "secrets/bech32.h"
#include "secrets/shell_words.h"
#include "secrets/sops.h"
#include "secrets/sops_config.h"
#include "secrets/sops_value.h"

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

/// Whatever can be encrypted must come back, and what comes back must stay as it is.
void round_trip(const std::string& text, sops::Format format) {
  sops::EncryptOptions options;
  options.input = options.output = format;
  options.recipients = {identities().own.front().recipient()};
  const auto sealed = sops::encrypt(text, "fuzz", options);
  if (!sealed) return;
  check(sops::looks_encrypted(*sealed, format), "what was encrypted looks so");
  const auto plain = sops::decrypt(*sealed, "fuzz", {format, format}, identities());
  if (!plain) return;  // more nodes than the limit, with the metadata
  const auto again = sops::encrypt(plain->reveal(), "fuzz", options);
  check(again.has_value(), "what was decrypted can be encrypted");
  const auto back = sops::decrypt(*again, "fuzz", {format, format}, identities());
  check(back.has_value(), "and be decrypted");
  if (format != sops::Format::yaml) check(*back == *plain, "and is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 20'000) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto format = static_cast<sops::Format>(data[0] % 4);
  (void)sops::decrypt(text, "fuzz", {format, format}, identities());
  (void)sops::readers_of(text, "fuzz", format);
  (void)sops::creation_rule(text, "fuzz", "talos/secrets.yaml");
  (void)secrets::shell_words(text);
  (void)sops::open_value(text, SecretString(std::string(32, 'k')), "a:");
  round_trip(text, format);
  return 0;
}
