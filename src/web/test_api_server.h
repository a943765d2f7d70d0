#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <fmt/format.h>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/secret.h"
#include "secrets/base64.h"
#include "secrets/issue.h"

namespace ichor {

/// An API server on the loopback that answers as a test says, over kept connections.
class TestApiServer {
 public:
  struct Request {
    std::string method, target, content_type, body, authorization{};
  };
  struct Reply {
    int status{200};
    std::string body{"{}"};
    std::vector<std::pair<std::string, std::string>> headers{};
    bool close{false};                 // the connection, without a word
    bool bows_out{false};              // closes it in the order of TLS, without an answer
    std::string raw{};                 // sent as it is, again and again until the client is gone
    std::vector<std::string> lines{};  // of a watch: sent one by one, then the end
    std::string reason{};              // of the status line; empty: the usual one
  };
  using Handler = std::function<Reply(const Request&)>;
  using Tcp = boost::asio::ip::tcp;
  using Stream = boost::beast::ssl_stream<Tcp::socket&>;
  using Message = boost::beast::http::request<boost::beast::http::string_body>;
  /// Speaks another protocol over the connection of a request that asks for one, to its end.
  using Upgrade = std::function<void(Stream&, const Message&)>;

  static constexpr const char* kHost = "192.168.22.100";

  TestApiServer(const pki::CertificateAndKey& ca, WallTime now, Handler handler,
                Upgrade upgrade = {})
      : ca_(ca), now_(now), handler_(std::move(handler)), upgrade_(std::move(upgrade)) {
    pki::LeafRequest request;
    request.common_name = "kube-apiserver";
    request.server_auth = true;
    request.ip_addresses = {kHost};
    request.not_before = now;
    const auto leaf = pki::issue(ca, request, pki::KeyKind::ecdsa_p256);
    certificate_ = leaf->certificate;
    tls_.use_certificate_chain(boost::asio::buffer(certificate_));
    const std::string key(leaf->key.reveal());
    tls_.use_private_key(boost::asio::buffer(key), boost::asio::ssl::context::pem);
    accepting_ = std::thread([this] { accept(); });
  }
  ~TestApiServer() {
    stopping_ = true;
    boost::system::error_code ignored;
    Tcp::socket(io_).connect(acceptor_.local_endpoint(), ignored);
    accepting_.join();
    for (const auto& socket : sockets_) socket->shutdown(Tcp::socket::shutdown_both, ignored);
    for (std::thread& thread : threads_) thread.join();
  }

  int connections() const { return connections_; }
  int port() const { return acceptor_.local_endpoint().port(); }
  /// In PEM form.
  const std::string& certificate() const { return certificate_; }
  std::vector<Request> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  SecretString kubeconfig() const {
    pki::LeafRequest request;
    request.common_name = "admin";
    request.client_auth = true;
    request.not_before = now_;
    const auto leaf = pki::issue(ca_, request, pki::KeyKind::ecdsa_p256);
    return SecretString(fmt::format(
        "clusters: [{{name: c, cluster: {{server: 'https://{}:{}', certificate-authority-data: "
        "{}}}}}]\nusers: [{{name: u, user: {{client-certificate-data: {}, client-key-data: "
        "{}}}}}]\ncontexts: [{{name: x, context: {{cluster: c, user: u}}}}]\ncurrent-context: x\n",
        kHost, acceptor_.local_endpoint().port(), pki::base64(ca_.certificate),
        pki::base64(leaf->certificate), pki::base64(leaf->key.reveal())));
  }

 private:
  void accept() {
    while (true) {
      boost::system::error_code error;
      auto socket = std::make_unique<Tcp::socket>(acceptor_.accept(error));
      if (stopping_ || error) return;
      ++connections_;
      sockets_.push_back(std::move(socket));
      threads_.emplace_back([this, &to = *sockets_.back()] { serve(to); });
    }
  }

  void serve(Tcp::socket& socket) {
    namespace http = boost::beast::http;
    boost::system::error_code error;
    Stream stream(socket, tls_);
    stream.handshake(boost::asio::ssl::stream_base::server, error);
    boost::beast::flat_buffer buffer;
    while (!error) {
      Message message;
      http::read(stream, buffer, message, error);
      if (error) return;
      Request request{std::string(message.method_string()), std::string(message.target()),
                      std::string(message[http::field::content_type]), message.body(),
                      std::string(message[http::field::authorization])};
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      if (upgrade_ && boost::beast::websocket::is_upgrade(message)) {
        return upgrade_(stream, message);
      }
      const Reply reply = handler_(request);
      if (reply.close) return socket.close(error), void();
      if (reply.bows_out) return stream.shutdown(error), void();
      while (!reply.raw.empty() && !error) {
        boost::asio::write(stream, boost::asio::buffer(reply.raw), error);
      }
      if (!reply.lines.empty()) {
        send_lines(stream, reply, error);
        continue;
      }
      http::response<http::string_body> answer(static_cast<http::status>(reply.status), 11);
      for (const auto& [name, value] : reply.headers) answer.set(name, value);
      if (!reply.reason.empty()) answer.reason(reply.reason);
      answer.body() = reply.body;
      answer.prepare_payload();
      http::write(stream, answer, error);
    }
  }

  static void send_lines(Stream& stream, const Reply& reply, boost::system::error_code& error) {
    const auto put = [&](const std::string& text) {
      boost::asio::write(stream, boost::asio::buffer(text), error);
    };
    put("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const std::string& line : reply.lines) {
      // Lines are cut in the middle, as a network does.
      const std::string whole = line + "\n";
      const std::size_t half = whole.size() / 2;
      put(fmt::format("{:x}\r\n{}\r\n", half, whole.substr(0, half)));
      put(fmt::format("{:x}\r\n{}\r\n", whole.size() - half, whole.substr(half)));
    }
    put("0\r\n\r\n");
  }

  pki::CertificateAndKey ca_;
  std::string certificate_;
  WallTime now_;
  Handler handler_;
  Upgrade upgrade_;
  boost::asio::io_context io_;
  Tcp::acceptor acceptor_{io_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<Request> requests_;
  std::list<std::unique_ptr<Tcp::socket>> sockets_;
  std::list<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace ichor
