#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.h"

namespace ichor::secrets {

/// Encryption that also proves that nothing was changed. Keys have 32 bytes, tags 16.
enum class Aead { chacha20_poly1305, aes256_gcm };

constexpr std::size_t kTagSize = 16;

/// The ciphertext with the tag behind it. `label` is not encrypted, but must be the same when the
/// box is opened.
std::string seal(Aead aead, const SecretString& key, std::string_view nonce, std::string_view label,
                 std::string_view plain);

/// Nothing if key, nonce, label or a byte of the box is not the one it was sealed with. A nonce of
/// AES-GCM may have 1 to 128 bytes.
std::optional<SecretString> open(Aead aead, const SecretString& key, std::string_view nonce,
                                 std::string_view label, std::string_view box);

/// RFC 5869 with SHA-256.
SecretString hkdf_sha256(std::string_view input, std::string_view salt, std::string_view info,
                         std::size_t size);

/// RFC 7748. The public point of a secret of 32 bytes.
std::string x25519_public(const SecretString& secret);
/// What both ends of an exchange know; nothing if `point` is no point of the full order.
std::optional<SecretString> x25519(const SecretString& secret, std::string_view point);

/// SHA-512 of what comes in pieces.
class Sha512 {
 public:
  Sha512();
  ~Sha512();
  Sha512(const Sha512&) = delete;
  Sha512& operator=(const Sha512&) = delete;

  void add(std::string_view bytes);
  /// The digest in upper-case hex; nothing may be added afterwards.
  SecretString hex();

 private:
  void* context_;
};

}  // namespace ichor::secrets
