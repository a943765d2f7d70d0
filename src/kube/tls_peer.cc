#include "kube/tls_peer.h"

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

void expect_peer(TlsStream& stream, const std::string& host) {
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification(host));
  boost::system::error_code is_name;
  asio::ip::make_address(host, is_name);
  // An address is not sent as a server name: RFC 6066 allows names only.
  if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
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
