#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "talos/test_certificates.h"

namespace ichor {

/// A TCP relay to a loopback port, whose connections can be cut at any moment.
class CutWire {
 public:
  explicit CutWire(int to_port);
  ~CutWire();
  CutWire(const CutWire&) = delete;
  CutWire& operator=(const CutWire&) = delete;

  int port() const { return port_; }
  /// Closes every connection, and every one that is made later at once.
  void cut();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int port_{0};
};

/// A TLS server below gRPC, which records handshakes and counts the bytes that a client sends after
/// them. The n-th connection gets the n-th certificate, later ones the last. With a client CA it
/// demands a certificate under it and answers a good one with a byte.
class TlsRecorder {
 public:
  enum class Newest { tls12, tls13 };
  explicit TlsRecorder(std::vector<const TestCertificate*> certificates,
                       const TestCertificate* client_ca = nullptr, Newest newest = Newest::tls13);
  ~TlsRecorder();
  TlsRecorder(const TlsRecorder&) = delete;
  TlsRecorder& operator=(const TlsRecorder&) = delete;

  struct Connection {
    std::string tls_version;
    std::string alpn;
    std::size_t application_bytes{0};
  };
  int port() const { return port_; }
  /// Takes no more connections, and returns when the last has ended.
  void stop();
  /// All connections that ended until now.
  std::vector<Connection> connections() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int port_{0};
};

/// A port that takes TCP connections and never says a word.
class SilentPort {
 public:
  SilentPort();
  ~SilentPort();
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;

  int port() const { return port_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int port_{0};
};

}  // namespace ichor
