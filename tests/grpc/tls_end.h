#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <openssl/ssl.h>
#include <optional>
#include <string>

#include "grpc/tls_stream.h"

namespace ichor {

/// What one end of a test's TLS connections needs: the server its certificate, the client the
/// authority that it trusts. Both speak HTTP/2 only.
class TlsEnd {
 public:
  static TlsEnd server(const std::string& certificate_file, const std::string& key_file);
  static TlsEnd client(const std::string& ca_file, const std::string& server_name);

  /// Calls back with the stream after its handshake, or with nothing if it failed.
  using Ready = std::function<void(std::optional<grpc::TlsStream>)>;
  void shake_hands(boost::asio::ip::tcp::socket socket, Ready ready) const;

 private:
  struct ContextDelete {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  TlsEnd(bool is_server, std::string server_name);

  bool is_server_;
  std::string server_name_;
  std::unique_ptr<SSL_CTX, ContextDelete> context_;
};

}  // namespace ichor
