#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A client that keeps what it got.
struct Asked final : PageExchange {
  explicit Asked(std::string target) {
    asked.method = "GET";
    asked.target = std::move(target);
    asked.private_socket = true;
  }
  const PageRequest& request() const override { return asked; }
  void reply(PageReply reply) override { replied = std::move(reply); }
  void stream(PageReply head) override { replied = std::move(head); }
  bool send(std::string text) override {
    replied.body += text;
    return true;
  }
  PageRequest asked;
  PageReply replied{0, "", "", {}};
};

class ServeTest : public ::testing::Test {
 protected:
  ServeTest() : writer_(host_.store()) {
    std::ifstream file("examples/reference/ichor.yaml");
    profile_ = {std::istreambuf_iterator<char>(file), {}};
    host_.inputs["ichor.yaml"] = profile_;
  }

  int type(std::vector<std::string> words) {
    host_.signal = SIGINT;
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }
  /// A request through a private socket while the command serves, and what came within ten seconds.
  PageReply serve(const std::string& target, std::vector<std::string> words = {"serve"}) {
    const auto exchange = std::make_shared<Asked>(target);
    host_.on_serve = [this, exchange] {
      host_.page_handler(exchange);
      const MonoTime until = later(host_.clock().now(), std::chrono::seconds(10));
      while (host_.clock().now() < until && host_.virtual_clock().step()) {
      }
    };
    EXPECT_EQ(type(std::move(words)), 130);
    return exchange->replied;
  }
  void lock() {
    host_.state_made = true;
    ASSERT_TRUE(at_once(writer_.lock({}, {"00000000000000ab", "desk", "boot", 1})));
  }
  void write(RecordKind kind, const std::string& key = {}, const std::string& value = {}) {
    JournalRecord record;
    record.run = RunId("one");
    record.kind = kind;
    record.key = key;
    record.value = value;
    CancelScope scope;
    auto append = writer_.append(Context{&host_.clock(), &scope}, std::move(record));
    append.start();
    while (!append.done() && host_.virtual_clock().step()) {
    }
  }

  FakeHost host_;
  MemoryJournal writer_;
  std::string profile_;
};

TEST_F(ServeTest, PrintsTheUrlWithItsTokenOnce) {
  EXPECT_EQ(type({"serve"}), 130);
  const std::string said = host_.printed();
  EXPECT_THAT(said,
              HasSubstr("serving reference; Ctrl-C ends\nopen http://127.0.0.1:8470/?token="));
  EXPECT_EQ(said.find("token="), said.rfind("token="));
  ASSERT_EQ(host_.served.size(), 1u);
  EXPECT_EQ(host_.served[0].address, "127.0.0.1");
}

TEST_F(ServeTest, ASocketAloneOpensNoPortAndNeedsNoToken) {
  EXPECT_EQ(type({"serve", "--socket", "/run/ichor.sock"}), 130);
  ASSERT_EQ(host_.served.size(), 1u);
  EXPECT_EQ(host_.served[0].socket, "/run/ichor.sock");
  EXPECT_THAT(host_.printed(), Not(HasSubstr("token")));
}

TEST_F(ServeTest, ATokenFileIsMadeAndPrintedLikeAnyToken) {
  EXPECT_EQ(type({"serve", "--token-file", "token"}), 130);
  EXPECT_EQ(host_.exported["token"].size(), 64u);
  EXPECT_THAT(host_.printed(), HasSubstr("?token=" + host_.exported["token"]));
}

TEST_F(ServeTest, ATokenOfAFileIsTakenIfItCannotBeGuessed) {
  host_.inputs["token"] = "0123456789abcdef0123456789abcdef\n";
  EXPECT_EQ(type({"serve", "--token-file", "token"}), 130);
  EXPECT_THAT(host_.printed(), HasSubstr("?token=0123456789abcdef0123456789abcdef\n"));
}

TEST_F(ServeTest, AShortTokenIsRefused) {
  host_.inputs["token"] = "short";
  EXPECT_EQ(type({"serve", "--token-file", "token"}), 64);
  EXPECT_TRUE(host_.served.empty());
}

TEST_F(ServeTest, WithoutARunThereIsAPageThatSaysSo) {
  const PageReply reply = serve("/");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("no run has worked on reference yet"));
  EXPECT_THAT(reply.body, HasSubstr("0 of 6 nodes running"));
}

TEST_F(ServeTest, TheRunOfAnotherProcessIsInProgressWhileItHoldsTheLock) {
  lock();
  write(RecordKind::run_started, "reference");
  EXPECT_THAT(serve("/metrics").body, HasSubstr("ichor_run_running{cluster=\"reference\"} 1\n"));
}

TEST_F(ServeTest, AStreamOfARunHasItsRecordsAndItsEnd) {
  lock();
  write(RecordKind::run_started, "reference");
  write(RecordKind::run_ended, "0", "reference is ready");
  const PageReply reply = serve("/clusters/reference/runs/1/events");
  EXPECT_EQ(reply.type, "text/event-stream");
  EXPECT_THAT(reply.body,
              StartsWith("event: record\nid: 1\ndata: {\"type\":\"record\",\"seq\":1,"));
  EXPECT_THAT(reply.body, HasSubstr("event: record\nid: 2\n"));
  EXPECT_THAT(reply.body, EndsWith("event: end\nid: 2\ndata: {}\n\n"));
}

TEST_F(ServeTest, EveryClusterOfTheRepositoryIsServed) {
  host_.inputs.erase("ichor.yaml");
  host_.inputs["reference/ichor.yaml"] = profile_;
  host_.inputs["broken/ichor.yaml"] = "apiVersion: [";
  const PageReply reply = serve("/");
  EXPECT_THAT(reply.body, HasSubstr("2 clusters, no run in progress"));
  EXPECT_THAT(reply.body, HasSubstr("<span class=\"chip bad\">unreadable</span>"));
  EXPECT_THAT(reply.body, HasSubstr("href=\"/clusters/reference/\""));
}

}  // namespace
}  // namespace ichor
