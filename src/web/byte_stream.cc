#include "web/byte_stream.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "web/tls_peer.h"

namespace ichor {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kPieceMax = 64u << 10;

/// The executor is named, not type-erased: that halves what each operation compiles to.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;

template <class Stream>
class StreamOn final : public ByteStream, public std::enable_shared_from_this<StreamOn<Stream>> {
  static constexpr bool kTls = !std::is_same_v<Stream, Socket>;

 public:
  StreamOn(asio::io_context& io, HttpPeer peer)
      : peer_(std::move(peer)), resolver_(io.get_executor()), stream_(make_stream(io)) {}

  void open(Done done) override {
    done_ = std::move(done);
    resolver_.async_resolve(
        peer_.dial_host, std::to_string(peer_.port),
        [self = this->shared_from_this()](error_code error, auto endpoints) {
          if (self->closed_) return;
          if (error) return self->opened(trouble("resolve", error));
          asio::async_connect(self->socket(), endpoints, [self](error_code refused, auto) {
            if (self->closed_) return;
            if (refused) return self->opened(trouble("connect", refused));
            error_code ignored;
            self->socket().set_option(asio::ip::tcp::no_delay(true), ignored);
            self->shake_hands();
          });
        });
  }

  void write(std::string bytes, Done done) override {
    outgoing_ = std::move(bytes);
    asio::async_write(
        stream_, asio::buffer(outgoing_),
        [self = this->shared_from_this(), done = std::move(done)](error_code error, std::size_t) {
          if (!self->closed_) done(error ? trouble("send", error) : StreamTrouble{});
        });
  }

  void read(Got got) override {
    stream_.async_read_some(asio::buffer(piece_),
                            [self = this->shared_from_this(), got = std::move(got)](
                                error_code error, std::size_t size) {
                              if (self->closed_) return;
                              got(std::string_view(self->piece_.data(), size),
                                  error ? trouble("receive", error) : StreamTrouble{});
                            });
  }

  void close() override {
    // It holds whoever opened us, who holds us: without this none of the two would ever end.
    const Done waiting = std::exchange(done_, nullptr);
    closed_ = true;
    resolver_.cancel();
    // What is still under way ends with an error that is ignored.
    error_code ignored;
    socket().close(ignored);
  }

 private:
  Stream make_stream(asio::io_context& io) {
    if constexpr (kTls) {
      return Stream(Socket(io.get_executor()), *peer_.tls);
    } else {
      return Stream(io.get_executor());
    }
  }

  Socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  static StreamTrouble trouble(std::string_view doing, const error_code& error) {
    return {fmt::format("{}: {}", doing, error.message()), TlsVerdict::fine,
            error == asio::error::eof};
  }

  void opened(const StreamTrouble& trouble) {
    const Done done = std::exchange(done_, nullptr);
    done(trouble);
  }

  void shake_hands() {
    if constexpr (kTls) {
      expect_peer(stream_.native_handle(), peer_);
      stream_.async_handshake(asio::ssl::stream_base::client,
                              [self = this->shared_from_this()](error_code error) {
                                if (!self->closed_) self->opened(self->met(error));
                              });
    } else {
      opened({});
    }
  }

  /// What came of the handshake.
  StreamTrouble met(const error_code& error) {
    if constexpr (kTls) {
      if (error) {
        StreamTrouble refused = trouble("handshake", error);
        judge_handshake(stream_.native_handle(), refused);
        return refused;
      }
      if (!peer_.pin.empty()) {
        const std::string shown = certificate_digest(stream_.native_handle());
        if (shown != peer_.pin) {
          return {"it shows the certificate " + shown, TlsVerdict::wrong_pin, false};
        }
      }
    }
    return {};
  }

  HttpPeer peer_;
  Resolver resolver_;
  Stream stream_;
  Done done_;
  bool closed_{false};
  std::string outgoing_;
  std::array<char, kPieceMax> piece_{};
};

}  // namespace

std::shared_ptr<ByteStream> ByteStream::make(asio::io_context& io, const HttpPeer& peer) {
  if (peer.tls) return std::make_shared<StreamOn<asio::ssl::stream<Socket>>>(io, peer);
  return std::make_shared<StreamOn<Socket>>(io, peer);
}

}  // namespace ichor
