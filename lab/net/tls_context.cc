#include "lab/net/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <utility>

#include "base/check.h"
#include "secrets/openssl.h"

namespace ichor::lab {

namespace {

int settings_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

const TlsSettings& settings_of(SSL* connection) {
  return *static_cast<const TlsSettings*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), settings_index()));
}

bool has_exactly_client_usage(X509* certificate) {
  auto* usage = static_cast<EXTENDED_KEY_USAGE*>(
      X509_get_ext_d2i(certificate, NID_ext_key_usage, nullptr, nullptr));
  if (usage == nullptr) return false;
  const bool exact = sk_ASN1_OBJECT_num(usage) == 1 &&
                     OBJ_obj2nid(sk_ASN1_OBJECT_value(usage, 0)) == NID_client_auth;
  EXTENDED_KEY_USAGE_free(usage);
  return exact;
}

/// Gives a rejected client the alert that Go's TLS would send.
int verify_client(int holds, X509_STORE_CTX* store) {
  auto* connection =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (holds == 1) {
    if (X509_STORE_CTX_get_error_depth(store) == 0 && settings_of(connection).only_client_usage &&
        !has_exactly_client_usage(X509_STORE_CTX_get_current_cert(store))) {
      X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
      return 0;
    }
    return 1;
  }
  const int error = X509_STORE_CTX_get_error(store);
  // A key usage that does not fit is a bad certificate to Go, and a signature of a namesake
  // authority is an unknown authority.
  if (error == X509_V_ERR_INVALID_PURPOSE) {
    X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
  } else if (error == X509_V_ERR_CERT_SIGNATURE_FAILURE) {
    X509_STORE_CTX_set_error(store, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
  }
  return 0;
}

int select_protocol(SSL* connection, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned int in_size, void*) {
  const std::string& wanted = settings_of(connection).protocol;
  for (unsigned int at = 0; at < in_size;) {
    const unsigned int size = in[at];
    if (at + 1 + size > in_size) break;
    if (wanted == std::string_view(reinterpret_cast<const char*>(in + at + 1), size)) {
      *out = in + at + 1;
      *out_size = static_cast<unsigned char>(size);
      return SSL_TLSEXT_ERR_OK;
    }
    at += 1 + size;
  }
  return settings_of(connection).protocol_required ? SSL_TLSEXT_ERR_ALERT_FATAL
                                                   : SSL_TLSEXT_ERR_NOACK;
}

void append_name_entries(X509* certificate, int nid, std::vector<std::string>& out) {
  X509_NAME* name = X509_get_subject_name(certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, nid, at)) >= 0;) {
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    out.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                     static_cast<std::size_t>(ASN1_STRING_length(value)));
  }
}

}  // namespace

TlsContext::TlsContext(TlsSettings settings)
    : settings_(std::move(settings)), handle_(SSL_CTX_new(TLS_server_method())) {
  check(handle_ != nullptr, "OpenSSL gave no context");
}

TlsContext::~TlsContext() { SSL_CTX_free(handle_); }

Result<std::shared_ptr<const TlsContext>> TlsContext::make(TlsSettings settings) {
  std::shared_ptr<TlsContext> context(new TlsContext(std::move(settings)));
  if (auto loaded = context->load(); !loaded) return forward_error(loaded);
  return context;
}

Result<void> TlsContext::load() {
  SSL_CTX_set_ex_data(handle_, settings_index(), &settings_);
  SSL_CTX_set_min_proto_version(handle_, settings_.oldest_is_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_options(handle_, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(handle_, 0);
  SSL_CTX_set_session_cache_mode(handle_, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(handle_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(handle_, select_protocol, nullptr);

  const pki::X509Handle leaf = pki::read_certificate(settings_.identity.certificate);
  const SecretString key_pem = pki::openssl_label(settings_.identity.key);
  const pki::Bio key_bio = pki::read_bio(key_pem.reveal());
  const pki::Pkey key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, pki::no_password, nullptr));
  if (!leaf || !key || SSL_CTX_use_certificate(handle_, leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(handle_, key.get()) != 1) {
    ERR_clear_error();
    return fail(Errc::invalid, "the server certificate and its key cannot be used");
  }
  if (settings_.clients == TlsSettings::Clients::not_asked) return {};

  const int strict =
      settings_.clients == TlsSettings::Clients::required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(handle_, SSL_VERIFY_PEER | strict, verify_client);
  const pki::Bio authorities = pki::read_bio(settings_.client_ca);
  int count = 0;
  while (const pki::X509Handle authority{
      PEM_read_bio_X509(authorities.get(), nullptr, pki::no_password, nullptr)}) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(handle_), authority.get());
    SSL_CTX_add_client_CA(handle_, authority.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return fail(Errc::invalid, "there is no authority to check clients against");
  return {};
}

Peer peer_of(ssl_st* connection) {
  Peer peer;
  X509* certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr) return peer;
  peer.anonymous = false;
  append_name_entries(certificate, NID_organizationName, peer.organizations);
  std::vector<std::string> names;
  append_name_entries(certificate, NID_commonName, names);
  if (!names.empty()) peer.common_name = names.front();
  return peer;
}

}  // namespace ichor::lab
