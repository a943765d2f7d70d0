#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace ichor {

/// Frees an OpenSSL object with the function that belongs to it.
template <auto free_function>
struct OpensslDelete {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpensslDelete<BIO_free_all>>;
using EvpKeyPtr = std::unique_ptr<EVP_PKEY, OpensslDelete<EVP_PKEY_free>>;
using SslCtxPtr = std::unique_ptr<SSL_CTX, OpensslDelete<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, OpensslDelete<SSL_free>>;
using X509Ptr = std::unique_ptr<X509, OpensslDelete<X509_free>>;
using X509StorePtr = std::unique_ptr<X509_STORE, OpensslDelete<X509_STORE_free>>;
using X509StoreCtxPtr = std::unique_ptr<X509_STORE_CTX, OpensslDelete<X509_STORE_CTX_free>>;

}  // namespace ichor
