#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "secrets/certificate.h"
#include "secrets/key.h"
#include "secrets/secrets_bundle.h"
#include "secrets/talosconfig.h"

/// Certificates, keys, secrets bundles and talosconfigs from anywhere: taken or refused with words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ichor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto facts = pki::inspect(text)) {
    check(!facts->fingerprint.value().empty(), "a certificate has a fingerprint");
    (void)pki::signed_by(text, text);
  } else {
    check(!facts.error().message.empty(), "an error says what is wrong");
  }
  if (const auto secrets = pki::read_secrets(text, "secrets.yaml")) {
    const auto again = pki::read_secrets(pki::write_secrets(*secrets).reveal(), "again.yaml");
    check(again && pki::fingerprint_of(*again) == pki::fingerprint_of(*secrets),
          "a bundle survives writing and reading");
  }
  (void)pki::PrivateKey::from_pem(SecretString(std::string(text)));
  (void)pki::read_talosconfig(text, "talosconfig");
  return 0;
}
