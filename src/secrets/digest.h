#pragma once

#include <string_view>

#include "base/secret.h"
#include "model/ids.h"

struct evp_md_ctx_st;

namespace ichor::pki {

Digest sha256(std::string_view bytes);

/// The digest of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// Once, at the end.
  Digest finish();

 private:
  evp_md_ctx_st* state_;
};

/// Tells nothing about `bytes` to whoever lacks the key.
Digest hmac_sha256(const SecretString& key, std::string_view bytes);

}  // namespace ichor::pki
