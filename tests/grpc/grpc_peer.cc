// grpc_peer: our gRPC as one end of gRPC's interoperability tests. tests/grpc/interop.py runs it
// against the programs of other implementations.
//
//   grpc_peer serve CERTIFICATE KEY          prints its port and serves until its input ends
//   grpc_peer call CA NAME PORT CASE...      plays cases; one line for each, exit 1 if one failed
//   grpc_peer cases                          their names
//   grpc_peer rate CA NAME PORT CALLS AT_ONCE    prints "SECONDS PROCESSOR_SECONDS"
//   grpc_peer hold CA NAME PORT COUNT            opens COUNT connections; prints KiB for each

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "bench/usage.h"
#include "grpc/channel.h"
#include "grpc/http2_server.h"
#include "grpc/pump.h"
#include "os/loop_clock.h"
#include "tests/grpc/cases.h"
#include "tests/grpc/measure.h"
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
                int& failed) {
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
}

struct Target {
  std::string ca;
  std::string name;
  std::uint16_t port{0};
};

/// Opens connections one after another.
class Dialer {
 public:
  explicit Dialer(const Target& target)
      : target_(target), tls_(TlsEnd::client(target.ca, target.name)) {}

  /// Calls back with nothing if there is no connection.
  using Ready = std::function<void(std::unique_ptr<grpc::Channel>)>;
  void dial(LoopClock& loop, Ready ready) const {
    tcp::socket socket(loop.io());
    boost::system::error_code error;
    socket.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), target_.port), error);
    if (error) {
      fmt::print(stderr, "cannot connect to port {}: {}\n", target_.port, error.message());
      return ready(nullptr);
    }
    socket.non_blocking(true);
    tls_.shake_hands(std::move(socket), [this, ready](std::optional<grpc::TlsStream> stream) {
      if (!stream) {
        fmt::print(stderr, "the handshake failed\n");
        return ready(nullptr);
      }
      grpc::Channel::Options options;
      options.authority = fmt::format("{}:{}", target_.name, target_.port);
      ready(std::make_unique<grpc::Channel>(*std::move(stream), options));
    });
  }

 private:
  Target target_;
  TlsEnd tls_;
};

/// Runs what `work` returns for one connection until it ends. False: there is no connection.
bool with_channel(const Target& target,
                  const std::function<Task<void>(Context, grpc::Channel&)>& work) {
  LoopClock loop;
  CancelScope scope;
  const Dialer dialer(target);
  std::unique_ptr<grpc::Channel> channel;
  Task<void> root;
  const auto run = [&]() -> Task<void> {
    co_await work({&loop, &scope, kNever}, *channel);
    loop.stop();
  };
  dialer.dial(loop, [&](std::unique_ptr<grpc::Channel> made) {
    channel = std::move(made);
    if (!channel) return loop.stop();
    root = run();
    root.start();
  });
  loop.run();
  return channel != nullptr;
}

int call(const Target& target, const std::vector<std::string>& names) {
  int failed = 0;
  const bool connected = with_channel(target, [&](Context context, grpc::Channel& channel) {
    return play(context, channel, names, failed);
  });
  return connected && failed == 0 ? 0 : 1;
}

int rate(const Target& target, int calls, int at_once) {
  std::string result;
  with_channel(target, [&](Context context, grpc::Channel& channel) {
    return measure_rate(context, channel, calls, at_once, result);
  });
  fmt::print("{}\n", result);
  return result.empty() ? 1 : 0;
}

/// Opens `count` connections and makes a call on each; prints the KiB that one costs. What the
/// first one sets up is not measured.
int hold(const Target& target, int count) {
  LoopClock loop;
  CancelScope scope;
  const Dialer dialer(target);
  std::vector<std::unique_ptr<grpc::Channel>> channels;
  std::vector<Task<void>> tasks;
  long before = 0;
  bool fine = false;
  std::function<void()> next;
  const std::vector<std::string> one_call{"empty_unary"};
  const auto try_it = [&](grpc::Channel& channel) -> Task<void> {
    int failed = 0;
    co_await play({&loop, &scope, kNever}, channel, one_call, failed);
    if (channels.size() == 1) before = resident_kib();
    fine = failed == 0 && static_cast<int>(channels.size()) == count + 1;
    fine || failed > 0 ? loop.stop() : boost::asio::post(loop.io(), next);
  };
  next = [&] {
    dialer.dial(loop, [&](std::unique_ptr<grpc::Channel> made) {
      if (!made) return loop.stop();
      channels.push_back(std::move(made));
      tasks.push_back(try_it(*channels.back()));
      tasks.back().start();
    });
  };
  next();
  loop.run();
  if (!fine) return 1;
  tasks.clear();
  fmt::print("{}\n", static_cast<double>(resident_kib() - before) / count);
  return 0;
}

int number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

int run(std::span<char*> words) {
  const std::vector<std::string> arguments(words.begin() + 1, words.end());
  const std::size_t count = arguments.size();
  const std::string verb = count > 0 ? arguments[0] : "";
  if (verb == "cases" && count == 1) {
    for (const auto& [name, unused] : interop_cases()) fmt::print("{}\n", name);
    return 0;
  }
  if (verb == "serve" && count == 3) return serve(arguments[1], arguments[2]);
  if (count >= 5) {
    const Target target{arguments[1], arguments[2],
                        static_cast<std::uint16_t>(number(arguments[3]))};
    if (verb == "call") return call(target, {arguments.begin() + 4, arguments.end()});
    if (verb == "rate" && count == 6) {
      return rate(target, number(arguments[4]), number(arguments[5]));
    }
    if (verb == "hold" && count == 5) return hold(target, number(arguments[4]));
  }
  fmt::print(stderr,
             "usage: grpc_peer serve CERTIFICATE KEY | call CA NAME PORT CASE... | cases |\n"
             "       rate CA NAME PORT CALLS AT_ONCE | hold CA NAME PORT COUNT\n");
  return 64;
}

}  // namespace

}  // namespace ichor

int main(int argc, char** argv) { return ichor::run({argv, static_cast<std::size_t>(argc)}); }
