#include "secrets/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace ichor::pki {

Digest sha256(std::string_view bytes) {
  Digest digest;
  unsigned int size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.bytes.data(), &size, EVP_sha256(), nullptr);
  check(done == 1, "SHA-256 failed");
  check(size == digest.bytes.size(), "SHA-256 has another size");
  return digest;
}

Sha256::Sha256() : state_(EVP_MD_CTX_new()) {
  check(state_ != nullptr, "OpenSSL has memory");
  check(EVP_DigestInit_ex(state_, EVP_sha256(), nullptr) == 1, "SHA-256 failed");
}

Sha256::~Sha256() { EVP_MD_CTX_free(state_); }

void Sha256::add(std::string_view bytes) {
  check(EVP_DigestUpdate(state_, bytes.data(), bytes.size()) == 1, "SHA-256 failed");
}

Digest Sha256::finish() {
  Digest digest;
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(state_, digest.bytes.data(), &size) == 1, "SHA-256 failed");
  check(size == digest.bytes.size(), "SHA-256 has another size");
  return digest;
}

Digest hmac_sha256(const SecretString& key, std::string_view bytes) {
  Digest digest;
  unsigned int size = 0;
  const std::string_view raw = key.reveal();
  const unsigned char* done = HMAC(EVP_sha256(), raw.data(), static_cast<int>(raw.size()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   bytes.size(), digest.bytes.data(), &size);
  check(done != nullptr, "HMAC failed");
  check(size == digest.bytes.size(), "HMAC has another size");
  return digest;
}

}  // namespace ichor::pki
