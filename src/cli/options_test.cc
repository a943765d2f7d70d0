#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "cli/command_line.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;

template <class T>
T request(std::vector<std::string> words) {
  return std::get<T>(std::get<Invocation>(parse_command_line(words)).request);
}

std::string misuse(std::vector<std::string> words) {
  const CommandLine line = parse_command_line(words);
  return std::holds_alternative<Misuse>(line) ? std::get<Misuse>(line).message : "no misuse";
}

TEST(Options, TakeNodesByNameAndWhereTheyAre) {
  const auto apply = request<ApplyOptions>({"apply", "-n", "cp1,cp2", "--nodes", "w1", "--address",
                                            "cp1=192.168.20.37", "--address", "w1=fd00::7"});
  EXPECT_THAT(apply.nodes.nodes, ElementsAre(NodeName("cp1"), NodeName("cp2"), NodeName("w1")));
  EXPECT_EQ(apply.nodes.addresses.at(NodeName("cp1")), IpAddress("192.168.20.37"));
  EXPECT_EQ(apply.nodes.addresses.at(NodeName("w1")), IpAddress("fd00::7"));
}

TEST(Options, RefuseNamesAndAddressesThatCannotBeAny) {
  EXPECT_EQ(misuse({"apply", "-n", "../etc"}),
            "apply: --nodes: \"../etc\" is not the name of a node");
  EXPECT_EQ(misuse({"up", "--exclude", "CP1"}), "up: --exclude: \"CP1\" is not the name of a node");
  for (const char* wrong : {"cp1", "cp1=", "=10.0.0.1", "cp1=host.example"}) {
    EXPECT_EQ(
        misuse({"up", "--address", wrong}),
        std::string("up: --address: \"") + wrong + "\" is not a NODE=IP such as cp1=192.168.20.37");
  }
}

TEST(Options, RefuseAnEmptyListOfNodesWhichWouldMeanEveryNode) {
  for (const char* empty : {"", ","}) {
    EXPECT_EQ(misuse({"apply", "--nodes", empty}), "apply: --nodes: must not be empty");
    EXPECT_EQ(misuse({"up", "--exclude", empty}), "up: --exclude: must not be empty");
    EXPECT_NE(misuse({"proxmox", "stop", empty}), "no misuse");
  }
}

TEST(Options, RefuseFingerprintsThatPinNothing) {
  const std::string key = std::string(43, 'A') + "=";
  for (const char* wrong : {"", ",", "AAAA", "cp1=AAAA"}) {
    EXPECT_NE(misuse({"apply", "--cert-fingerprint", wrong}).find("is not a fingerprint"),
              std::string::npos)
        << wrong;
  }
  const auto apply = request<ApplyOptions>({"apply", "--accept-key", "cp1=" + key});
  EXPECT_EQ(apply.nodes.trust.accepted_keys.at(NodeName("cp1")), Fingerprint(key));
  for (const std::string& wrong :
       std::vector<std::string>{"", key, "cp1=", "cp1", "=" + key, "cp1=AAAA="}) {
    EXPECT_NE(misuse({"apply", "--accept-key", wrong}).find("is not NODE=FINGERPRINT"),
              std::string::npos)
        << wrong;
  }
}

TEST(Options, TakeTheOrderAndHowManyAtOnce) {
  EXPECT_EQ(request<UpRequest>({"up"}).change.order, Order::as_profile);
  EXPECT_EQ(request<UpRequest>({"up", "--order", "sequential"}).change.order, Order::sequential);
  const auto up = request<UpRequest>({"up", "--order", "parallel", "--concurrency", "8"});
  EXPECT_EQ(up.change.concurrency, 8);
  EXPECT_EQ(misuse({"up", "--order", "sequential", "--concurrency", "8"}),
            "up: --order sequential and --concurrency exclude each other");
  EXPECT_EQ(misuse({"up", "--order", "paralel"}),
            "up: --order: \"paralel\" is not known; did you mean parallel?");
}

TEST(Options, TieTheDetailedExitCodeToTheDryRun) {
  EXPECT_TRUE(request<UpRequest>({"up", "--dry-run", "--detailed-exitcode"}).change.dry_run);
  EXPECT_EQ(misuse({"up", "--detailed-exitcode"}), "up: --detailed-exitcode needs --dry-run");
  EXPECT_TRUE(request<PlanRequest>({"plan", "--detailed-exitcode"}).change.detailed_exitcode);
}

TEST(Options, TakeTimes) {
  EXPECT_EQ(parse_time("90s"), std::chrono::seconds(90));
  EXPECT_EQ(parse_time("5m"), std::chrono::minutes(5));
  EXPECT_EQ(parse_time("1h"), std::chrono::hours(1));
  for (const char* wrong :
       {"", "5", "m", "-5m", "0s", "5d", "5mm", "99999999999999999999s", "1001h"}) {
    EXPECT_FALSE(parse_time(wrong).has_value()) << wrong;
  }
  EXPECT_EQ(request<HealthRequest>({"health", "--wait-timeout", "90s"}).wait_timeout,
            std::chrono::seconds(90));
  EXPECT_EQ(misuse({"health", "--wait-timeout", "soon"}),
            "health: --wait-timeout: \"soon\" is not a time such as 90s, 5m or 1h");
}

TEST(Options, TakeOnlyWholeNonces) {
  EXPECT_EQ(request<UnlockRequest>({"unlock", "0123456789abcdef"}).nonce, "0123456789abcdef");
  EXPECT_EQ(misuse({"unlock", "abc"}), "unlock: NONCE: \"abc\" is not a nonce of 16 hex digits");
  EXPECT_EQ(misuse({"unlock"}), "unlock: NONCE is required");
}

}  // namespace
}  // namespace ichor
