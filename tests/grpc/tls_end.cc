#include "tests/grpc/tls_end.h"

#include <utility>

#include "base/check.h"

namespace ichor {

namespace {

constexpr unsigned char kHttp2[] = {2, 'h', '2'};

int choose_http2(SSL*, const unsigned char** chosen, unsigned char* size,
                 const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, kHttp2, sizeof(kHttp2), offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Goes on with a handshake whenever the socket lets it.
void go_on(std::shared_ptr<grpc::TlsStream> stream, TlsEnd::Ready ready) {
  const grpc::TlsStream::Step step = stream->handshake();
  if (step.kind == grpc::TlsStream::Step::Kind::moved) return ready(std::move(*stream));
  if (step.kind == grpc::TlsStream::Step::Kind::closed) return ready(std::nullopt);
  stream->await(step.kind, [stream, ready = std::move(ready)](bool open) {
    if (open) go_on(stream, ready);
  });
}

}  // namespace

TlsEnd::TlsEnd(bool is_server, std::string server_name)
    : is_server_(is_server),
      server_name_(std::move(server_name)),
      context_(SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method())) {
  check(context_ != nullptr, "OpenSSL has memory");
}

TlsEnd TlsEnd::server(const std::string& certificate_file, const std::string& key_file) {
  TlsEnd end(true, "");
  SSL_CTX* context = end.context_.get();
  check(SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) == 1,
        "the certificate can be read");
  check(SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) == 1,
        "the key can be read");
  SSL_CTX_set_alpn_select_cb(context, choose_http2, nullptr);
  return end;
}

TlsEnd TlsEnd::client(const std::string& ca_file, const std::string& server_name) {
  TlsEnd end(false, server_name);
  SSL_CTX* context = end.context_.get();
  check(SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr) == 1,
        "the authority can be read");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  check(SSL_CTX_set_alpn_protos(context, kHttp2, sizeof(kHttp2)) == 0, "ALPN is set");
  return end;
}

void TlsEnd::shake_hands(boost::asio::ip::tcp::socket socket, Ready ready) const {
  grpc::SslPtr tls(SSL_new(context_.get()));
  check(tls != nullptr, "OpenSSL has memory");
  if (is_server_) {
    SSL_set_accept_state(tls.get());
  } else {
    SSL_set_connect_state(tls.get());
    check(SSL_set1_host(tls.get(), server_name_.c_str()) == 1, "the name is set");
    SSL_set_tlsext_host_name(tls.get(), server_name_.c_str());
  }
  go_on(std::make_shared<grpc::TlsStream>(std::move(socket), std::move(tls)), std::move(ready));
}

}  // namespace ichor
