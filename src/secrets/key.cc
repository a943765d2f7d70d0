#include "secrets/key.h"

#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <optional>
#include <utility>

#include "base/check.h"
#include "secrets/openssl.h"

namespace ichor::pki {

namespace {

constexpr std::string_view kTalosLabel = "ED25519 PRIVATE KEY";
constexpr std::string_view kPlainLabel = "PRIVATE KEY";
constexpr int kRsaBits = 4096;

/// Asked by OpenSSL for each number that it tries: 0 ends the search.
int goes_on(EVP_PKEY_CTX* context) {
  const auto* give_up = static_cast<const std::atomic<bool>*>(EVP_PKEY_CTX_get_app_data(context));
  return *give_up ? 0 : 1;
}

using DecoderContext = std::unique_ptr<OSSL_DECODER_CTX, Releaser<OSSL_DECODER_CTX_free>>;

std::shared_ptr<EVP_PKEY> share(Pkey key) { return {key.release(), EVP_PKEY_free}; }

Pkey make_rsa(const std::atomic<bool>& give_up) {
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  check(context != nullptr, "OpenSSL knows RSA");
  check(EVP_PKEY_keygen_init(context.get()) == 1, "OpenSSL makes RSA keys");
  check(EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), kRsaBits) == 1, "of this size");
  EVP_PKEY_CTX_set_app_data(context.get(), const_cast<std::atomic<bool>*>(&give_up));
  EVP_PKEY_CTX_set_cb(context.get(), goes_on);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_generate(context.get(), &key);
  if (key == nullptr) ERR_clear_error();
  return Pkey(key);
}

Pkey make(KeyKind kind) {
  switch (kind) {
    case KeyKind::ed25519: return Pkey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    case KeyKind::ecdsa_p256: return Pkey(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
    case KeyKind::rsa: return make_rsa(std::atomic<bool>(false));
  }
  return nullptr;
}

std::optional<KeyKind> kind_of(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "ED25519") == 1) return KeyKind::ed25519;
  if (EVP_PKEY_is_a(key, "RSA") == 1) return KeyKind::rsa;
  if (EVP_PKEY_is_a(key, "EC") != 1) return std::nullopt;
  char group[32] = {};
  std::size_t size = 0;
  const int known = EVP_PKEY_get_group_name(key, group, sizeof group, &size);
  const bool p256 = known == 1 && std::string_view(group, size) == "prime256v1";
  return p256 ? std::optional(KeyKind::ecdsa_p256) : std::nullopt;
}

/// Renames the label in the first and the last line.
SecretString relabel(const SecretString& pem, std::string_view from, std::string_view to) {
  std::string text(pem.reveal());
  for (const std::string_view edge : {"-----BEGIN ", "-----END "}) {
    const std::string old = std::string(edge) + std::string(from) + "-----";
    const std::size_t at = text.find(old);
    if (at == std::string::npos) continue;
    std::string changed = text.substr(0, at + edge.size());
    changed += to;
    changed += text.substr(at + edge.size() + from.size());
    OPENSSL_cleanse(text.data(), text.size());
    text = std::move(changed);
  }
  return SecretString(std::move(text));
}

/// The name OpenSSL has for the kind of key that the label promises; nothing where any may come.
const char* promised_kind(std::string_view pem) {
  if (pem.find("-----BEGIN ED25519 PRIVATE KEY-----") != std::string_view::npos) return "ED25519";
  if (pem.find("-----BEGIN EC PRIVATE KEY-----") != std::string_view::npos) return "EC";
  if (pem.find("-----BEGIN RSA PRIVATE KEY-----") != std::string_view::npos) return "RSA";
  return nullptr;
}

/// PEM_read_bio_PrivateKey sets every decoder up that OpenSSL has, which costs more than all else
/// here, so it gets the kind that will come.
Pkey decode(BIO* bio, const char* kind) {
  EVP_PKEY* key = nullptr;
  const DecoderContext decoder(OSSL_DECODER_CTX_new_for_pkey(&key, "PEM", nullptr, kind,
                                                             EVP_PKEY_KEYPAIR, nullptr, nullptr));
  if (decoder == nullptr) return nullptr;
  OSSL_DECODER_CTX_set_pem_password_cb(decoder.get(), no_password, nullptr);
  // One block at a time: "EC PARAMETERS" may stand before the key.
  for (std::size_t left = BIO_ctrl_pending(bio); left > 0;) {
    if (OSSL_DECODER_from_bio(decoder.get(), bio) == 1 && key != nullptr) break;
    const std::size_t before = std::exchange(left, BIO_ctrl_pending(bio));
    if (left >= before) break;
  }
  return Pkey(key);
}

}  // namespace

SecretString openssl_label(const SecretString& pem) {
  return relabel(pem, kTalosLabel, kPlainLabel);
}

SecretString talos_label(const SecretString& pem) { return relabel(pem, kPlainLabel, kTalosLabel); }

PrivateKey PrivateKey::generate(KeyKind kind) {
  Pkey key = make(kind);
  check(key != nullptr, "a key could not be made");
  return {share(std::move(key)), kind};
}

std::optional<PrivateKey> PrivateKey::generate_rsa(const std::atomic<bool>& give_up) {
  Pkey key = make_rsa(give_up);
  if (give_up) return std::nullopt;
  check(key != nullptr, "a key could not be made");
  return PrivateKey(share(std::move(key)), KeyKind::rsa);
}

Result<PrivateKey> PrivateKey::from_pem(const SecretString& pem) {
  const SecretString readable = openssl_label(pem);
  const Bio bio = read_bio(readable.reveal());
  Pkey key = decode(bio.get(), promised_kind(pem.reveal()));
  if (key == nullptr) {
    ERR_clear_error();
    return fail(Errc::invalid, "not a private key in PEM form");
  }
  const auto kind = kind_of(key.get());
  if (!kind) return fail(Errc::invalid, "a private key of a kind that Talos does not use");
  return PrivateKey(share(std::move(key)), *kind);
}

SecretString PrivateKey::to_pem() const {
  const Bio bio = write_bio();
  EVP_PKEY* key = handle_.get();
  const int written =
      kind_ == KeyKind::ed25519
          ? PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr)
          : PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr,
                                                 nullptr);
  check(written == 1, "a key could not be written");
  SecretString pem(contents(bio));
  return kind_ == KeyKind::ed25519 ? talos_label(pem) : pem;
}

}  // namespace ichor::pki
