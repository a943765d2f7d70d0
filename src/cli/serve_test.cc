#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace ichor {
namespace {

/// Where `serve` with these words would listen; empty: it is refused.
std::string place_of(std::vector<std::string> words) {
  words.insert(words.begin(), "serve");
  const CommandLine line = parse_command_line(words);
  const Invocation* invocation = std::get_if<Invocation>(&line);
  if (!invocation) return "";
  const auto& request = std::get<ServeRequest>(invocation->request);
  return request.address + " " + std::to_string(request.port) + " " + request.socket;
}

TEST(Serve, ListensOnLoopbackUnlessASocketIsEnough) {
  EXPECT_EQ(place_of({}), "127.0.0.1 8470 ");
  EXPECT_EQ(place_of({"--listen", "localhost:0"}), "127.0.0.1 0 ");
  EXPECT_EQ(place_of({"--listen", "[::1]:9000"}), "::1 9000 ");
  EXPECT_EQ(place_of({"--socket", "s"}), " 8470 s");
  EXPECT_EQ(place_of({"--socket", "s", "--listen", "127.0.0.1:65535"}), "127.0.0.1 65535 s");
}

TEST(Serve, NoOtherComputerCanReachIt) {
  for (const char* place :
       {"0.0.0.0:8470", "10.0.0.1:8470", "8470", ":8470", "127.0.0.1", "127.0.0.1:", "*:8470",
        "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:80x", "127.0.0.1.evil:1", "[::]:1", ""}) {
    EXPECT_EQ(place_of({"--listen", place}), "") << place;
  }
  EXPECT_EQ(place_of({"--socket", "s", "--token-file", "t"}), "");
}

}  // namespace
}  // namespace ichor
