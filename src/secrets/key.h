#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "model/ids.h"

struct evp_pkey_st;

namespace ichor::pki {

enum class KeyKind { ed25519, ecdsa_p256, rsa };

/// A private key. Copies share it. Its PEM form carries the label that Talos writes: Ed25519 as
/// `ED25519 PRIVATE KEY` around PKCS#8, which OpenSSL cannot read; ECDSA as `EC PRIVATE KEY`, RSA
/// as `RSA PRIVATE KEY`.
class PrivateKey {
 public:
  static PrivateKey generate(KeyKind kind);

  /// An RSA key of 4096 bits takes a processor between half a second and ten. Nothing if `give_up`
  /// became true before it was found.
  static std::optional<PrivateKey> generate_rsa(const std::atomic<bool>& give_up);

  /// Reads Talos' labels and `PRIVATE KEY`. The error never repeats the input.
  static Result<PrivateKey> from_pem(const SecretString& pem);

  SecretString to_pem() const;
  KeyKind kind() const { return kind_; }

  /// For the files of this folder.
  evp_pkey_st* handle() const { return handle_.get(); }

 private:
  PrivateKey(std::shared_ptr<evp_pkey_st> handle, KeyKind kind)
      : handle_(std::move(handle)), kind_(kind) {}

  std::shared_ptr<evp_pkey_st> handle_;
  KeyKind kind_;
};

/// What gRPC and OpenSSL read: the same PEM with `ED25519 PRIVATE KEY` renamed to `PRIVATE KEY`.
SecretString openssl_label(const SecretString& pem);
/// And back. Only Ed25519 keys may be passed.
SecretString talos_label(const SecretString& pem);

}  // namespace ichor::pki
