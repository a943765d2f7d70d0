#include "web/tls_peer.h"

#include <array>
#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace ichor {

namespace asio = boost::asio;

namespace {

TlsVerdict verdict_of(long verify_result) {
  switch (verify_result) {
    case X509_V_OK: return TlsVerdict::fine;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID: return TlsVerdict::expired;
    default: return TlsVerdict::foreign_ca;
  }
}

}  // namespace

void expect_peer(SSL* tls, const HttpPeer& peer) {
  if (peer.pin.empty()) {
    SSL_set_verify(tls, SSL_VERIFY_PEER, nullptr);
    X509_VERIFY_PARAM* demand = SSL_get0_param(tls);
    const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(demand, peer.host.c_str()) == 1;
    if (!is_address) X509_VERIFY_PARAM_set1_host(demand, peer.host.data(), peer.host.size());
  } else {
    // The digest says whose certificate it is; its issuer may be anybody.
    SSL_set_verify(tls, SSL_VERIFY_PEER, [](int, X509_STORE_CTX* chain) {
      const bool expired = verdict_of(X509_STORE_CTX_get_error(chain)) == TlsVerdict::expired;
      return expired ? 0 : 1;
    });
  }
  boost::system::error_code is_name;
  asio::ip::make_address(peer.host, is_name);
  // An address is not sent as a server name: RFC 6066 allows names only.
  if (is_name) SSL_set_tlsext_host_name(tls, peer.host.c_str());
}

std::string certificate_digest(SSL* tls) {
  X509* shown = SSL_get1_peer_certificate(tls);
  if (shown == nullptr) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  const bool made = X509_digest(shown, EVP_sha256(), bytes.data(), &size) == 1;
  X509_free(shown);
  std::string text;
  for (unsigned i = 0; made && i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

void judge_handshake(SSL* tls, StreamTrouble& trouble) {
  const long verified = SSL_get_verify_result(tls);
  trouble.tls = verdict_of(verified);
  if (verified != X509_V_OK) trouble.text = X509_verify_cert_error_string(verified);
}

std::string host_header(const HttpPeer& peer) {
  const bool v6 = peer.host.find(':') != std::string::npos;
  return fmt::format("{}:{}", v6 ? "[" + peer.host + "]" : peer.host, peer.port);
}

}  // namespace ichor
