#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grpc/test_link.h"

namespace ichor::grpc {
namespace {

using testing::HasSubstr;

// Peers that break the rules. Each must end in a named fault, with bounded memory and without a
// crash; the client must not believe that its call was answered.

constexpr std::uint8_t kData = 0;
constexpr std::uint8_t kHeaders = 1;
constexpr std::uint8_t kReset = 3;
constexpr std::uint8_t kSettings = 4;
constexpr std::uint8_t kPing = 6;
constexpr std::uint8_t kGoAway = 7;
constexpr std::uint8_t kWindowUpdate = 8;
constexpr std::uint8_t kContinuation = 9;
constexpr std::uint8_t kAck = 1;
constexpr std::uint8_t kEndStream = 1;
constexpr std::uint8_t kEndHeaders = 4;

/// A frame of HTTP/2 by hand.
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload = {}) {
  std::string bytes;
  for (int shift = 16; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(payload.size() >> shift & 0xff);
  }
  bytes += {static_cast<char>(type), static_cast<char>(flags)};
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(stream >> shift & 0xff);
  return bytes.append(payload);
}

/// A header line that the peer need not remember (a literal without indexing).
std::string line(std::string_view name, std::string_view value) {
  std::string bytes(1, '\0');
  const auto text = [&](std::string_view part) {
    // HPACK's integer with a prefix of seven bits.
    if (part.size() < 127) {
      bytes += static_cast<char>(part.size());
    } else {
      bytes += '\x7f';
      std::size_t rest = part.size() - 127;
      for (; rest >= 128; rest >>= 7) bytes += static_cast<char>(rest % 128 + 128);
      bytes += static_cast<char>(rest);
    }
    bytes += part;
  };
  text(name);
  text(value);
  return bytes;
}

const std::string kGoodHeaders = line(":status", "200") + line("content-type", "application/grpc");

/// A client with a call open on stream 1, whose server is written by the test.
class HostileServer : public testing::Test {
 protected:
  HostileServer() : client(Http2Client::make("node", limits())) {
    CallRequest request;
    request.path = "/machine.MachineService/Version";
    call = client->start(request);
    call->send("");
    call->close_sending();
    take_output();
    client->receive(frame(kSettings, 0, 0));
    take_output();
  }
  static Http2Limits limits() {
    Http2Limits limits;
    limits.message_bytes_max = 1u << 20;
    return limits;
  }
  /// What the client wants to send, as many bytes as it says in a row.
  std::size_t take_output() {
    std::size_t taken = 0;
    for (std::string_view out = client->output(); !out.empty(); out = client->output()) {
      taken += out.size();
      client->output_sent(out.size());
    }
    return taken;
  }
  void say(const std::string& bytes) {
    client->receive(bytes);
    take_output();
  }
  void expect_fault(Code code, EndedBy by, const std::string& text) {
    ASSERT_TRUE(call->ended());
    EXPECT_EQ(call->end().code, code) << call->end().text;
    EXPECT_EQ(call->end().by, by) << call->end().text;
    EXPECT_THAT(call->end().text, HasSubstr(text));
    EXPECT_FALSE(call->end().ok());
  }

  std::shared_ptr<Http2Client> client;
  std::unique_ptr<ClientCall> call;
};

TEST_F(HostileServer, GarbageInsteadOfHttp2EndsTheConnection) {
  say("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n");
  EXPECT_TRUE(client->over());
  expect_fault(Code::unavailable, EndedBy::connection, "");
  EXPECT_FALSE(client->why().empty());
}

TEST_F(HostileServer, TrailersWithoutAStatusAreNoSuccess) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders));
  say(frame(kHeaders, kEndHeaders | kEndStream, 1, line("x", "y")));
  expect_fault(Code::internal, EndedBy::not_grpc, "without sending a status");
}

TEST_F(HostileServer, ABodyWithoutTrailersIsNoSuccess) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders));
  say(frame(kData, kEndStream, 1, std::string("\0\0\0\0\0", 5)));
  expect_fault(Code::internal, EndedBy::not_grpc, "without sending a status");
}

TEST_F(HostileServer, AStatusInsideAMessageIsNoSuccess) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders));
  say(frame(kData, 0, 1,
            std::string("\0\0\0\0\x09"
                        "abc",
                        8)));
  say(frame(kHeaders, kEndHeaders | kEndStream, 1, line("grpc-status", "0")));
  expect_fault(Code::internal, EndedBy::not_grpc, "incomplete");
}

TEST_F(HostileServer, AStatusThatIsNotANumberIsUnknown) {
  say(frame(kHeaders, kEndHeaders | kEndStream, 1,
            kGoodHeaders + line("grpc-status", "zero") + line("grpc-message", "%1b[31m")));
  expect_fault(Code::unknown, EndedBy::server, "grpc-status zero");
}

TEST_F(HostileServer, AStatusIsTheLastWord) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders + line("grpc-status", "5")));
  expect_fault(Code::not_found, EndedBy::server, "");
  EXPECT_EQ(client->open_calls(), 0u) << "the stream is reset";
}

TEST_F(HostileServer, AMessageOf4GiBIsRefusedByItsLength) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders));
  say(frame(kData, 0, 1, std::string("\0\xff\xff\xff\xff", 5)));
  expect_fault(Code::resource_exhausted, EndedBy::limit, "larger than max (4294967295 bytes)");
}

TEST_F(HostileServer, AnHttpErrorIsNotAnAnswerOfTheNode) {
  say(frame(kHeaders, kEndHeaders, 1, line(":status", "502") + line("content-type", "text/html")));
  expect_fault(Code::unavailable, EndedBy::not_grpc, "HTTP status 502");
}

TEST_F(HostileServer, DataBeforeHeadersIsRefused) {
  say(frame(kData, 0, 1, "x"));
  EXPECT_TRUE(call->ended());
  EXPECT_FALSE(call->end().ok());
}

TEST_F(HostileServer, TooManyHeadersAreALimit) {
  std::string block = kGoodHeaders;
  for (int i = 0; i < 10; ++i) block += line("x-" + std::to_string(i), std::string(8000, 'x'));
  // In pieces of at most one frame.
  say(frame(kHeaders, 0, 1, block.substr(0, 16'000)));
  for (std::size_t at = 16'000; at < block.size(); at += 16'000) {
    const bool last = at + 16'000 >= block.size();
    say(frame(kContinuation, last ? kEndHeaders : 0, 1, block.substr(at, 16'000)));
  }
  expect_fault(Code::resource_exhausted, EndedBy::limit, "too many headers");
}

TEST_F(HostileServer, HeadersWithoutAnEndEndTheConnection) {
  say(frame(kHeaders, 0, 1, kGoodHeaders));
  const std::string more = line("x", std::string(1000, 'x'));
  for (int i = 0; i < 100'000 && !client->over(); ++i) {
    client->receive(frame(kContinuation, 0, 1, more));
  }
  take_output();
  EXPECT_TRUE(client->over()) << "a block of 100 MB was read";
  EXPECT_TRUE(call->ended());
}

/// Says the same until the client hangs up, reading what it answers or not.
struct Flood {
  const char* name;
  std::string bytes;
};
void PrintTo(const Flood& flood, std::ostream* out) { *out << flood.name; }

class FloodTest : public HostileServer, public testing::WithParamInterface<Flood> {};

INSTANTIATE_TEST_SUITE_P(
    Frames, FloodTest,
    testing::Values(Flood{"Ping", frame(kPing, 0, 0, std::string(8, 'p'))},
                    Flood{"Pong", frame(kPing, kAck, 0, std::string(8, 'p'))},
                    Flood{"Settings", frame(kSettings, 0, 0)},
                    Flood{"WindowUpdate", frame(kWindowUpdate, 0, 0, std::string("\0\0\0\0", 4))},
                    Flood{"Unknown", frame(0xee, 0, 0, "x")},
                    Flood{"EmptyData", frame(kData, 0, 1)},
                    Flood{"ResetOfOthers", frame(kReset, 0, 3, std::string("\0\0\0\x08", 4))}),
    [](const auto& info) { return info.param.name; });

TEST_P(FloodTest, EndsTheConnectionWhetherAnswersAreReadOrNot) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders));
  for (int i = 0; i < 200'000 && !client->over(); ++i) {
    client->receive(GetParam().bytes);
    if (i % 2 == 0) take_output();
  }
  take_output();
  EXPECT_TRUE(client->over());
  EXPECT_TRUE(call->ended());
  EXPECT_FALSE(call->end().ok());
}

TEST_F(HostileServer, AMillionTinyMessagesAreHeldBack) {
  say(frame(kHeaders, kEndHeaders, 1, kGoodHeaders));
  const std::string tiny = frame(kData, 0, 1, std::string("\0\0\0\0\0", 5));
  // The caller does not read: the window closes long before memory matters, and a server that goes
  // on breaks the rules.
  int sent = 0;
  for (; sent < 1'000'000 && !client->over() && !call->ended(); ++sent) say(tiny);
  EXPECT_LT(sent, 200'000);
  EXPECT_TRUE(call->ended() || client->over());
}

TEST_F(HostileServer, AZeroWindowHoldsTheRequestInBoundedMemory) {
  client->receive(frame(kSettings, 0, 0, std::string("\0\4\0\0\0\0", 6)));  // INITIAL_WINDOW_SIZE 0
  CallRequest request;
  request.path = "/machine.MachineService/ApplyConfiguration";
  const auto held = client->start(request);
  held->send(std::string(1u << 20, 'c'));
  held->close_sending();
  EXPECT_LT(take_output(), 1000u);
  EXPECT_GT(held->unsent_bytes(), 1u << 19);
  held->cancel(Code::deadline_exceeded, "no answer", EndedBy::deadline);
  EXPECT_EQ(held->unsent_bytes(), 0u) << "a config does not stay in memory";
  EXPECT_EQ(held->end().by, EndedBy::deadline) << "its headers have left";
}

TEST_F(HostileServer, AGoAwayProvesThatALaterCallWasNotLookedAt) {
  say(frame(kGoAway, 0, 0, std::string("\0\0\0\0\0\0\0\x0b", 8) + "too_many_pings"));
  expect_fault(Code::unavailable, EndedBy::unprocessed, "");
  EXPECT_FALSE(client->alive());
}

TEST_F(HostileServer, AResetIsNotAnAnswer) {
  say(frame(kReset, 0, 1, std::string("\0\0\0\x02", 4)));
  expect_fault(Code::internal, EndedBy::not_grpc, "reset the stream");
}

TEST_F(HostileServer, ARefusedStreamWasNotLookedAt) {
  say(frame(kReset, 0, 1, std::string("\0\0\0\x07", 4)));
  expect_fault(Code::unavailable, EndedBy::unprocessed, "REFUSED_STREAM");
}

// The lab's servers meet the same.

class HostileClient : public testing::Test {
 protected:
  HostileClient() {
    Http2Server::Events events;
    events.on_end = [this](const Http2Server::Call&) { ++ended; };
    events.on_call = [this](const Http2Server::Call&) { ++calls; };
    server = Http2Server::make(std::move(events));
    server->serve("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0));
    drain();
  }
  void drain() {
    for (std::string_view out = server->output(); !out.empty(); out = server->output()) {
      server->output_sent(out.size());
    }
    server->tell_events();
  }
  static std::string request(std::uint32_t stream, const std::string& more = {}) {
    return frame(kHeaders, kEndHeaders, stream,
                 line(":method", "POST") + line(":scheme", "https") + line(":path", "/a.B/C") +
                     line(":authority", "node") + line("content-type", "application/grpc") + more);
  }
  /// The value of `:status` with which the server answers a request on the first stream.
  std::string status_of(const std::string& request) {
    server->serve(request);
    std::string said(server->output());
    drain();
    while (said.size() >= 9) {
      const auto byte = [&said](std::size_t at) { return static_cast<unsigned char>(said[at]); };
      const std::size_t size = 9 + (byte(0) << 16 | byte(1) << 8 | byte(2));
      if (byte(3) == kHeaders) return status_in(said.substr(9, size - 9));
      said.erase(0, size);
    }
    return "no answer";
  }
  static std::string status_in(const std::string& block) {
    nghttp2_hd_inflater* inflater = nullptr;
    nghttp2_hd_inflate_new(&inflater);
    nghttp2_nv field{};
    int flags = 0;
    nghttp2_hd_inflate_hd2(inflater, &field, &flags,
                           reinterpret_cast<const std::uint8_t*>(block.data()), block.size(), 1);
    std::string status(reinterpret_cast<const char*>(field.value), field.valuelen);
    nghttp2_hd_inflate_del(inflater);
    return status;
  }

  std::shared_ptr<Http2Server> server;
  int calls{0};
  int ended{0};
};

TEST_F(HostileClient, TheTypeIsLookedAtBeforeTheMethodAsGrpcGoDoes) {
  const auto headers = [](std::uint32_t stream, const char* method, const char* type) {
    return frame(kHeaders, kEndHeaders | kEndStream, stream,
                 line(":method", method) + line(":scheme", "https") + line(":path", "/a.B/C") +
                     line(":authority", "node") + line("content-type", type) +
                     line("grpc-timeout", "soon"));
  };
  EXPECT_EQ(status_of(headers(1, "GET", "text/html")), "415");
  EXPECT_EQ(status_of(headers(3, "GET", "application/grpc")), "400");
  EXPECT_EQ(calls, 0);
}

TEST_F(HostileClient, RapidResetsEndEveryCallAndKeepNothing) {
  for (std::uint32_t i = 0; i < 20'000 && !server->over(); ++i) {
    server->serve(request(2 * i + 1) + frame(kReset, 0, 2 * i + 1, std::string("\0\0\0\x08", 4)));
    drain();
  }
  EXPECT_EQ(server->open_calls(), 0u);
  EXPECT_EQ(calls, ended);
}

TEST_F(HostileClient, TooManyPingsEndTheConnectionAsGrpcGoDoes) {
  const std::string ping = frame(kPing, 0, 0, std::string(8, 'p'));
  for (int i = 0; i < 3; ++i) {
    server->serve(ping);
    drain();
    EXPECT_FALSE(server->over()) << i;
  }
  server->serve(ping);
  drain();
  EXPECT_TRUE(server->over());
}

TEST_F(HostileClient, APrefaceOfAnotherProtocolIsRefused) {
  const auto other = Http2Server::make({});
  other->serve("GET / HTTP/1.1\r\nHost: node\r\n\r\n");
  EXPECT_TRUE(other->over());
}

TEST_F(HostileClient, ACallWithoutAnEndKeepsItsWindow) {
  server->serve(request(1));
  const std::string piece = frame(kData, 0, 1, std::string(16'384, 'x'));
  server->serve(frame(kData, 0, 1, std::string("\0\1\0\0\0", 5)));  // a message of 16 MiB
  for (int i = 0; i < 2'000 && server->open_calls() > 0 && !server->over(); ++i) {
    server->serve(piece);
    drain();
  }
  // What follows the 16 MiB announces a message of 2 GiB, which is beyond the limit.
  EXPECT_EQ(server->open_calls(), 0u);
}

}  // namespace
}  // namespace ichor::grpc
