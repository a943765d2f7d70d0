#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "secrets/age_key.h"
#include "secrets/sops_formats.h"
#include "secrets/sops_rules.h"

namespace ichor::sops {

/// Whether the text is a file that sops encrypted. What cannot be read is not.
bool looks_encrypted(std::string_view text, Format format);

/// With which keys a file can be read, as it says itself.
struct Readers {
  std::vector<std::string> recipients;  // of age
  std::vector<std::string> other_keys;  // kinds such as pgp and kms
  bool split_key{false};                // several groups of keys, each with a part of the data key
  int outside{0};                       // recipients that are not X25519

  /// "age1…, age1…, pgp".
  std::string text() const;
  /// Whether the sops program could know a key that we do not.
  bool others() const { return split_key || outside > 0 || !other_keys.empty(); }
};
Result<Readers> readers_of(std::string_view text, const std::string& file, Format format);

struct DecryptOptions {
  Format input{Format::yaml};
  Format output{Format::yaml};
};

/// The decrypted file. Every value is authenticated together with its place, and the file's MAC
/// covers all values in their order, so nothing that was changed, moved or left out is returned.
/// `no_key` is set if the failure is that no identity fits.
Result<SecretString> decrypt(std::string_view text, const std::string& file,
                             const DecryptOptions& options, const age::Identities& identities,
                             bool* no_key = nullptr);

struct EncryptOptions {
  Format input{Format::yaml};
  Format output{Format::yaml};
  std::vector<age::Recipient> recipients;  // X25519 ones, at least one
  Rules rules;
  WallTime now;
};

/// The encrypted file, with a new data key. A file that is encrypted already is refused.
Result<std::string> encrypt(std::string_view text, const std::string& file,
                            const EncryptOptions& options);

}  // namespace ichor::sops
