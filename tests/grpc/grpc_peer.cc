// grpc_peer: our gRPC as one end of gRPC's interoperability tests. tests/grpc/interop.py runs it
// against the programs of other implementations.
//
//   grpc_peer serve CERTIFICATE KEY          prints its port and serves until its input ends
//   grpc_peer call CA NAME PORT CASE...      plays cases; one line for each, exit 1 if one failed
//   grpc_peer cases                          their names

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <charconv>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "grpc/channel.h"
#include "grpc/http2_server.h"
#include "grpc/pump.h"
#include "os/loop_clock.h"
#include "tests/grpc/cases.h"
#include "tests/grpc/test_service.h"
#include "tests/grpc/tls_end.h"

namespace ichor {

namespace {

using boost::asio::ip::tcp;

constexpr Duration kCaseLimit = std::chrono::seconds(60);

/// Accepts connections and serves the test service on them.
class Listener {
 public:
  Listener(LoopClock& loop, TlsEnd tls)
      : service_(loop),
        tls_(std::move(tls)),
        acceptor_(loop.io(), tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
    accept();
  }

  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error) return;
      tls_.shake_hands(std::move(socket), [this](std::optional<grpc::TlsStream> stream) {
        if (stream) serve(*std::move(stream));
      });
      accept();
    });
  }

  void serve(grpc::TlsStream stream) {
    const auto http2 = grpc::Http2Server::make(service_.events());
    grpc::Pump::Hooks hooks;
    hooks.received = [http2](std::string_view bytes) { http2->serve(bytes); };
    hooks.sent = [http2] { http2->tell_events(); };
    hooks.ended = [http2](const std::string& why) { http2->hang_up(why); };
    std::make_shared<grpc::Pump>(std::move(stream), http2, std::move(hooks))->start();
  }

  TestService service_;
  TlsEnd tls_;
  tcp::acceptor acceptor_;
};

int serve(const std::string& certificate, const std::string& key) {
  LoopClock loop;
  Listener listener(loop, TlsEnd::server(certificate, key));
  fmt::print("{}\n", listener.port());
  std::fflush(stdout);
  boost::asio::posix::stream_descriptor input(loop.io(), dup(STDIN_FILENO));
  input.async_wait(boost::asio::posix::descriptor_base::wait_read,
                   [&loop](const boost::system::error_code&) { loop.stop(); });
  loop.run();
  return 0;
}

/// Plays the cases one after another, each on the same connection.
Task<void> play(Context context, grpc::Channel& channel, std::vector<std::string> names,
                int& failed, LoopClock& loop) {
  for (const std::string& name : names) {
    const auto found = interop_cases().find(name);
    std::string complaint = "no such case";
    if (found != interop_cases().end()) {
      Caller caller(context.within(kCaseLimit), channel);
      co_await found->second(caller);
      complaint = caller.complaint();
      if (complaint.empty() && !channel.alive())
        complaint = "the connection broke: " + channel.why();
    }
    if (!complaint.empty()) ++failed;
    fmt::print("{} {}\n", name, complaint.empty() ? "passed" : "failed: " + complaint);
  }
  loop.stop();
}

int call(const std::string& ca, const std::string& name, std::uint16_t port,
         std::vector<std::string> names) {
  LoopClock loop;
  CancelScope scope;
  tcp::socket socket(loop.io());
  boost::system::error_code error;
  socket.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), port), error);
  if (error) {
    fmt::print("cannot connect to port {}: {}\n", port, error.message());
    return 1;
  }
  socket.non_blocking(true);
  std::optional<grpc::Channel> channel;
  Task<void> root;
  int failed = 0;
  const TlsEnd tls = TlsEnd::client(ca, name);
  tls.shake_hands(std::move(socket), [&](std::optional<grpc::TlsStream> stream) {
    if (!stream) {
      fmt::print("the handshake failed\n");
      failed = 1;
      return loop.stop();
    }
    grpc::Channel::Options options;
    options.authority = fmt::format("{}:{}", name, port);
    channel.emplace(*std::move(stream), options);
    root = play({&loop, &scope, kNever}, *channel, std::move(names), failed, loop);
    root.start();
  });
  loop.run();
  return failed > 0 ? 1 : 0;
}

int run(std::span<char*> words) {
  const std::vector<std::string> arguments(words.begin() + 1, words.end());
  const std::size_t count = arguments.size();
  if (count == 1 && arguments[0] == "cases") {
    for (const auto& [name, unused] : interop_cases()) fmt::print("{}\n", name);
    return 0;
  }
  if (count == 3 && arguments[0] == "serve") return serve(arguments[1], arguments[2]);
  if (count >= 5 && arguments[0] == "call") {
    std::uint16_t port = 0;
    const std::string& text = arguments[3];
    std::from_chars(text.data(), text.data() + text.size(), port);
    return call(arguments[1], arguments[2], port, {arguments.begin() + 4, arguments.end()});
  }
  fmt::print(stderr,
             "usage: grpc_peer serve CERTIFICATE KEY | call CA NAME PORT CASE... | cases\n");
  return 64;
}

}  // namespace

}  // namespace ichor

int main(int argc, char** argv) { return ichor::run({argv, static_cast<std::size_t>(argc)}); }
