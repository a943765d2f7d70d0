#include "secrets/cipher.h"

#include <array>
#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

#include "base/check.h"
#include "secrets/openssl.h"

namespace ichor::secrets {

namespace {

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, pki::Releaser<EVP_CIPHER_CTX_free>>;
using Key = pki::Pkey;
using KeyContext = pki::PkeyContext;

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kNonceMax = 128;  // that OpenSSL's GCM takes

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

int length(std::string_view text) {
  check(text.size() < (1u << 30), "a text is too long for OpenSSL");
  return static_cast<int>(text.size());
}

const EVP_CIPHER* cipher_of(Aead aead) {
  return aead == Aead::aes256_gcm ? EVP_aes_256_gcm() : EVP_chacha20_poly1305();
}

/// A context with key, nonce and label; `encrypt` is OpenSSL's 1 or 0.
CipherContext begin(Aead aead, const SecretString& key, std::string_view nonce,
                    std::string_view label, int encrypt) {
  check(key.size() == kKeySize, "a key of another size");
  CipherContext context(EVP_CIPHER_CTX_new());
  check(context != nullptr, "no memory for a cipher");
  EVP_CIPHER_CTX* raw = context.get();
  check(EVP_CipherInit_ex(raw, cipher_of(aead), nullptr, nullptr, nullptr, encrypt) == 1,
        "no cipher");
  check(EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_SET_IVLEN, length(nonce), nullptr) == 1,
        "no nonce of this length");
  check(EVP_CipherInit_ex(raw, nullptr, nullptr, bytes_of(key.reveal()), bytes_of(nonce),
                          encrypt) == 1,
        "no cipher with this key");
  int written = 0;
  if (!label.empty()) {
    check(EVP_CipherUpdate(raw, nullptr, &written, bytes_of(label), length(label)) == 1,
          "no label");
  }
  return context;
}

Key private_key(const SecretString& secret) {
  check(secret.size() == kKeySize, "an X25519 secret of another size");
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, bytes_of(secret.reveal()),
                                       secret.size()));
  check(key != nullptr, "no X25519 key");
  return key;
}

}  // namespace

std::string seal(Aead aead, const SecretString& key, std::string_view nonce, std::string_view label,
                 std::string_view plain) {
  const CipherContext context = begin(aead, key, nonce, label, 1);
  std::string box(plain.size() + kTagSize, '\0');
  int written = 0;
  check(
      EVP_CipherUpdate(context.get(), bytes_of(box), &written, bytes_of(plain), length(plain)) == 1,
      "encryption failed");
  check(static_cast<std::size_t>(written) == plain.size(), "a stream cipher keeps the length");
  int rest = 0;
  check(EVP_CipherFinal_ex(context.get(), bytes_of(box) + written, &rest) == 1,
        "encryption failed at its end");
  check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(kTagSize),
                            bytes_of(box) + plain.size()) == 1,
        "no tag");
  return box;
}

std::optional<SecretString> open(Aead aead, const SecretString& key, std::string_view nonce,
                                 std::string_view label, std::string_view box) {
  if (box.size() < kTagSize || nonce.empty() || nonce.size() > kNonceMax) return std::nullopt;
  const CipherContext context = begin(aead, key, nonce, label, 0);
  const std::string_view sealed = box.substr(0, box.size() - kTagSize);
  std::string tag(box.substr(sealed.size()));
  std::string plain(sealed.size(), '\0');
  int written = 0;
  int rest = 0;
  const bool good = EVP_CipherUpdate(context.get(), bytes_of(plain), &written, bytes_of(sealed),
                                     length(sealed)) == 1 &&
                    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG,
                                        static_cast<int>(kTagSize), bytes_of(tag)) == 1 &&
                    EVP_CipherFinal_ex(context.get(), bytes_of(plain) + written, &rest) == 1;
  SecretString result(std::move(plain));  // also what must not be used is overwritten
  if (good) return result;
  ERR_clear_error();
  return std::nullopt;
}

SecretString hkdf_sha256(std::string_view input, std::string_view salt, std::string_view info,
                         std::size_t size) {
  const KeyContext context(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nullptr));
  check(context != nullptr, "no memory for HKDF");
  EVP_PKEY_CTX* raw = context.get();
  check(EVP_PKEY_derive_init(raw) == 1, "no HKDF");
  check(EVP_PKEY_CTX_set_hkdf_md(raw, EVP_sha256()) == 1, "no HKDF with SHA-256");
  // To be without salt or info is to have empty ones, but OpenSSL wants to be asked so.
  check(salt.empty() || EVP_PKEY_CTX_set1_hkdf_salt(raw, bytes_of(salt), length(salt)) == 1,
        "no salt");
  check(EVP_PKEY_CTX_set1_hkdf_key(raw, bytes_of(input), length(input)) == 1, "no input");
  check(info.empty() || EVP_PKEY_CTX_add1_hkdf_info(raw, bytes_of(info), length(info)) == 1,
        "no info");
  std::string key(size, '\0');
  std::size_t got = size;
  check(EVP_PKEY_derive(raw, bytes_of(key), &got) == 1, "HKDF failed");
  check(got == size, "HKDF gave another size");
  return SecretString(std::move(key));
}

std::string x25519_public(const SecretString& secret) {
  const Key key = private_key(secret);
  std::string point(kKeySize, '\0');
  std::size_t size = point.size();
  check(EVP_PKEY_get_raw_public_key(key.get(), bytes_of(point), &size) == 1, "no public key");
  check(size == kKeySize, "a public key of another size");
  return point;
}

std::optional<SecretString> x25519(const SecretString& secret, std::string_view point) {
  if (point.size() != kKeySize) return std::nullopt;
  const Key mine = private_key(secret);
  const Key theirs(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, bytes_of(point), point.size()));
  check(theirs != nullptr, "no X25519 point");
  const KeyContext context(EVP_PKEY_CTX_new(mine.get(), nullptr));
  check(context != nullptr, "no memory for X25519");
  std::string shared(kKeySize, '\0');
  std::size_t size = shared.size();
  const bool good = EVP_PKEY_derive_init(context.get()) == 1 &&
                    EVP_PKEY_derive_set_peer(context.get(), theirs.get()) == 1 &&
                    EVP_PKEY_derive(context.get(), bytes_of(shared), &size) == 1;
  if (!good) {
    ERR_clear_error();
    return std::nullopt;
  }
  // A point of low order gives zero, which everybody knows.
  unsigned char any = 0;
  for (const char byte : shared) any = static_cast<unsigned char>(any | byte);
  if (any == 0) return std::nullopt;
  return SecretString(std::move(shared));
}

Sha512::Sha512() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr, "no memory for SHA-512");
  check(EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha512(), nullptr) == 1,
        "no SHA-512");
}

Sha512::~Sha512() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha512::add(std::string_view bytes) {
  check(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size()) == 1,
        "SHA-512 failed");
}

SecretString Sha512::hex() {
  std::array<unsigned char, 64> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest.data(), &size) == 1,
        "SHA-512 failed at its end");
  check(size == digest.size(), "SHA-512 has another size");
  std::string text;
  text.reserve(2 * digest.size());
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return SecretString(std::move(text));
}

}  // namespace ichor::secrets
