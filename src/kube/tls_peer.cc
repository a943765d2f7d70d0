#include "kube/tls_peer.h"

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl.hpp>
#include <fmt/format.h>
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

void expect_peer(TlsStream& stream, const HttpPeer& peer) {
  const std::string& host = peer.host;
  stream.set_verify_mode(asio::ssl::verify_peer);
  if (peer.pin.empty()) {
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
  } else {
    // The digest says whose certificate it is; its issuer may be anybody.
    stream.set_verify_callback([](bool, asio::ssl::verify_context& chain) {
      const int error = X509_STORE_CTX_get_error(chain.native_handle());
      return verdict_of(error) != TlsVerdict::expired;
    });
  }
  boost::system::error_code is_name;
  asio::ip::make_address(host, is_name);
  // An address is not sent as a server name: RFC 6066 allows names only.
  if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
}

std::string certificate_digest(TlsStream& stream) {
  X509* shown = SSL_get1_peer_certificate(stream.native_handle());
  if (shown == nullptr) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  const bool made = X509_digest(shown, EVP_sha256(), bytes.data(), &size) == 1;
  X509_free(shown);
  std::string text;
  for (unsigned i = 0; made && i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

void judge_handshake(TlsStream& stream, CallError& error) {
  const long verified = SSL_get_verify_result(stream.native_handle());
  error.tls = verdict_of(verified);
  if (verified != X509_V_OK) error.text = X509_verify_cert_error_string(verified);
}

std::string host_header(const HttpPeer& peer) {
  const bool v6 = peer.host.find(':') != std::string::npos;
  return fmt::format("{}:{}", v6 ? "[" + peer.host + "]" : peer.host, peer.port);
}

}  // namespace ichor
