#include "grpc/http2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grpc/test_link.h"

namespace ichor::grpc {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

/// Answers every message with itself and ends the call with the client's half.
void echo(TestLink& link) {
  link.on_message = [](const Http2Server::Call& call) { call->write(call->take_message()); };
  link.on_half_close = [](const Http2Server::Call& call) { call->finish(Code::ok, ""); };
}

class LinkTest : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Pieces, LinkTest, testing::Values(1, 7, 1000, std::string::npos));

TEST_P(LinkTest, AUnaryCallIsAnswered) {
  TestLink link;
  link.piece = GetParam();
  echo(link);
  const auto call = link.call("/a.Service/Method", "hello");
  link.settle();
  ASSERT_TRUE(call->ended());
  EXPECT_TRUE(call->end().ok()) << call->end().text;
  ASSERT_TRUE(call->has_message());
  EXPECT_EQ(call->take_message(), "hello");
  EXPECT_FALSE(call->has_message());
  ASSERT_EQ(link.calls.size(), 1u);
  EXPECT_EQ(link.calls[0]->path(), "/a.Service/Method");
  EXPECT_EQ(link.ended, 1);
  EXPECT_EQ(link.client->open_calls(), 0u);
  EXPECT_TRUE(link.client->alive());
}

/// A call that the server resets with CANCEL, as a server of Go does at the deadline.
CallEnd end_of_cancelled(std::function<bool()> out_of_time) {
  TestLink link;
  CallRequest request;
  request.path = "/a.Service/Method";
  request.out_of_time = std::move(out_of_time);
  const auto call = link.client->start(std::move(request));
  link.settle();
  constexpr char kReset[] = "\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x08";
  link.client->receive({kReset, sizeof(kReset) - 1});
  EXPECT_TRUE(call->ended());
  return call->end();
}

TEST(CancelledByServerTest, IsTheDeadlineOnlyIfThatHasPassed) {
  const CallEnd late = end_of_cancelled([] { return true; });
  EXPECT_EQ(late.code, Code::deadline_exceeded);
  EXPECT_EQ(late.by, EndedBy::deadline);
  for (const std::function<bool()>& not_late : {std::function<bool()>(), {[] { return false; }}}) {
    const CallEnd early = end_of_cancelled(not_late);
    EXPECT_EQ(early.code, Code::cancelled);
    EXPECT_EQ(early.by, EndedBy::not_grpc);
  }
}

TEST_P(LinkTest, MessagesGoBothWaysUntilBothSidesEnd) {
  TestLink link;
  link.piece = GetParam();
  echo(link);
  CallRequest request;
  request.path = "/a.Service/Chat";
  const auto call = link.client->start(request);
  for (int i = 0; i < 5; ++i) {
    call->send(std::to_string(i));
    link.settle();
    ASSERT_TRUE(call->has_message());
    EXPECT_EQ(call->take_message(), std::to_string(i));
    EXPECT_FALSE(call->ended());
  }
  call->close_sending();
  link.settle();
  EXPECT_TRUE(call->end().ok());
}

TEST_P(LinkTest, AStatusWithTextAndDetailsArrives) {
  TestLink link;
  link.piece = GetParam();
  link.on_half_close = [](const Http2Server::Call& call) {
    call->finish(Code::failed_precondition, "50% of\n\xc3\xa9tcd", {{"x-trace-bin", "\x01\xff"}},
                 "details");
  };
  const auto call = link.call("/a.Service/Method");
  link.settle();
  EXPECT_EQ(call->end().code, Code::failed_precondition);
  EXPECT_EQ(call->end().by, EndedBy::server);
  EXPECT_EQ(call->end().text, "50% of\n\xc3\xa9tcd");
  EXPECT_EQ(call->end().details, "details");
  EXPECT_THAT(call->trailing_metadata(), Contains(Pair("x-trace-bin", "Af8")));
}

TEST(Http2, ALargeMessagePassesBothWindows) {
  TestLink link;
  echo(link);
  const std::string large(5u << 20, 'x');
  const auto call = link.call("/a.Service/Method", large);
  link.settle();
  ASSERT_TRUE(call->has_message());
  EXPECT_EQ(call->take_message(), large);
  EXPECT_TRUE(call->end().ok());
}

TEST(Http2, ASlowReaderHoldsTheSenderBack) {
  Http2Limits limits;
  TestLink link(limits, limits);
  link.on_half_close = [](const Http2Server::Call& call) {
    for (int i = 0; i < 100; ++i) call->write(std::string(64u << 10, 'x'));
    call->finish(Code::ok, "");
  };
  const auto call = link.call("/a.Service/Method");
  link.settle();
  EXPECT_FALSE(call->ended());
  std::size_t messages = 0;
  std::size_t waiting_max = 0;
  while (!call->ended() || call->has_message()) {
    std::size_t waiting = 0;
    while (call->has_message()) {
      waiting += call->take_message().size();
      ++messages;
    }
    waiting_max = std::max(waiting_max, waiting);
    link.settle();
  }
  EXPECT_EQ(messages, 100u);
  EXPECT_LE(waiting_max, 1u << 20);
  EXPECT_TRUE(call->end().ok());
}

TEST(Http2, AClientThatOnlyReadsForLongIsNoFlood) {
  Http2Limits strict;
  strict.idle_bytes_max = 500;
  TestLink link({}, strict);
  const auto call = link.call("/a.Service/Logs", "x");
  link.settle();
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(link.calls[0]->write(std::string(64u << 10, 'x'))) << i;
    link.settle();
    ASSERT_TRUE(call->has_message()) << i;
    (void)call->take_message();
  }
  EXPECT_FALSE(link.server->over()) << link.server->why();
}

TEST(Http2, ACancelledCallEndsOnTheServerToo) {
  TestLink link;
  const auto call = link.call("/a.Service/Watch", "x");
  link.settle();
  ASSERT_EQ(link.calls.size(), 1u);
  call->cancel(Code::cancelled, "enough", EndedBy::caller);
  EXPECT_EQ(call->end().by, EndedBy::caller);
  link.settle();
  EXPECT_TRUE(link.calls[0]->over());
  EXPECT_EQ(link.ended, 1);
  EXPECT_FALSE(link.calls[0]->write("too late"));
  EXPECT_TRUE(link.client->alive()) << "other calls continue";
}

TEST(Http2, ADroppedCallIsReset) {
  TestLink link;
  auto call = link.call("/a.Service/Watch", "x");
  link.settle();
  call.reset();
  link.settle();
  EXPECT_EQ(link.ended, 1);
}

TEST(Http2, ACallThatNeverLeftIsUnprocessed) {
  TestLink link;
  const auto call = link.call("/a.Service/Method", "x");
  link.client->end("Connection reset by peer");
  EXPECT_EQ(call->end().by, EndedBy::unprocessed);
  const auto late = link.call("/a.Service/Method", "x");
  EXPECT_EQ(late->end().by, EndedBy::unprocessed);
  EXPECT_EQ(late->end().code, Code::unavailable);
}

TEST(Http2, ACallThatLeftAndWasLostMayHaveHappened) {
  TestLink link;
  const auto call = link.call("/a.Service/Method", "x");
  link.settle();
  link.client->end("Connection reset by peer");
  EXPECT_EQ(call->end().by, EndedBy::connection);
  EXPECT_EQ(call->end().text, "Connection reset by peer");
  EXPECT_TRUE(call->left());
}

TEST(Http2, AServerThatLeavesFinishesOpenCallsAndTakesNoNewOnes) {
  TestLink link;
  link.on_message = [](const Http2Server::Call& call) { (void)call->take_message(); };
  const auto open = link.call("/a.Service/Method", "x");
  link.settle();
  link.server->leave();
  link.settle();
  EXPECT_FALSE(link.client->alive());
  const auto late = link.call("/a.Service/Method", "y");
  EXPECT_EQ(late->end().by, EndedBy::unprocessed);
  link.calls[0]->finish(Code::ok, "");
  link.settle();
  EXPECT_TRUE(open->end().ok());
  EXPECT_TRUE(link.client->over());
}

TEST(Http2, AReplyLargerThanTheCallAllowsIsALimit) {
  TestLink link;
  echo(link);
  CallRequest request;
  request.path = "/a.Service/Method";
  request.message_bytes_max = 10;
  const auto call = link.client->start(request);
  call->send("eleven bytes");
  call->close_sending();
  link.settle();
  EXPECT_EQ(call->end().code, Code::resource_exhausted);
  EXPECT_EQ(call->end().by, EndedBy::limit);
  EXPECT_THAT(call->end().text, HasSubstr("larger than max"));
}

TEST(Http2, ARequestLargerThanTheServerAllowsIsRefused) {
  Http2Limits small;
  small.message_bytes_max = 10;
  TestLink link({}, small);
  echo(link);
  const auto call = link.call("/a.Service/Method", "eleven bytes");
  link.settle();
  EXPECT_EQ(call->end().code, Code::resource_exhausted);
  EXPECT_EQ(call->end().by, EndedBy::server);
}

TEST(Http2, MetadataAndTimeoutReachTheServer) {
  TestLink link;
  CallRequest request;
  request.path = "/a.Service/Method";
  request.metadata = {{"node", "10.5.0.2"}, {"key-bin", encode_binary("\x01\x02")}};
  request.timeout = std::chrono::seconds(3);
  const auto call = link.client->start(request);
  link.settle();
  ASSERT_EQ(link.calls.size(), 1u);
  EXPECT_THAT(link.calls[0]->metadata(), Contains(Pair("node", "10.5.0.2")));
  EXPECT_THAT(link.calls[0]->metadata(), Contains(Pair("key-bin", "\x01\x02")));
  EXPECT_EQ(link.calls[0]->timeout(), std::chrono::seconds(3));
}

TEST(Http2, APingIsAnswered) {
  TestLink link;
  link.settle();
  link.client->ping();
  link.settle();
  EXPECT_EQ(link.client->pongs(), 1u);
}

}  // namespace
}  // namespace ichor::grpc
