#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <string>
#include <string_view>

namespace ichor::pki {

/// OpenSSL's objects with their release functions.
template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T* object) const {
    Release(object);
  }
};

using Bio = std::unique_ptr<BIO, Releaser<BIO_free_all>>;
using Pkey = std::unique_ptr<EVP_PKEY, Releaser<EVP_PKEY_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Releaser<EVP_PKEY_CTX_free>>;
using X509Handle = std::unique_ptr<X509, Releaser<X509_free>>;

/// A memory BIO over bytes that must outlive it.
Bio read_bio(std::string_view bytes);
Bio write_bio();
std::string contents(const Bio& bio);

/// Makes PEM readers fail instead of asking on the terminal.
int no_password(char* buffer, int size, int writing, void* user);

/// The first certificate of a PEM text; nullptr if there is none.
X509Handle read_certificate(std::string_view pem);

}  // namespace ichor::pki
