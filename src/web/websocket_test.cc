#include "web/websocket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;
using Kind = WebSocketReader::Kind;

constexpr std::array<unsigned char, 4> kMask{1, 2, 3, 4};

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

WebSocketReader reader_of(const std::string& sent) {
  WebSocketReader reader(1000);
  reader.receive(sent);
  return reader;
}

TEST(WebSocketTest, AnswersTheKeyOfTheRfc) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketTest, MasksWhatAClientSends) {
  EXPECT_EQ(websocket_message("abc", kMask),
            bytes({0x82, 0x83, 1, 2, 3, 4, 'a' ^ 1, 'b' ^ 2, 'c' ^ 3}));
  EXPECT_EQ(websocket_pong("a", kMask), bytes({0x8a, 0x81, 1, 2, 3, 4, 'a' ^ 1}));
}

TEST(WebSocketTest, WritesTheLengthInTwoOrEightBytes) {
  const std::string middle = websocket_message(std::string(300, 'x'), kMask);
  EXPECT_EQ(middle.substr(1, 3), bytes({0x80 | 126, 1, 44}));
  const std::string large = websocket_message(std::string(70'000, 'x'), kMask);
  EXPECT_EQ(large.substr(1, 9), bytes({0x80 | 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70}));
}

TEST(WebSocketTest, ReadsAMessageThatComesByteByByte) {
  const std::string sent = bytes({0x82, 3, 'a', 'b', 'c'});
  WebSocketReader reader(1000);
  for (std::size_t i = 0; i + 1 < sent.size(); ++i) {
    reader.receive(sent.substr(i, 1));
    EXPECT_FALSE(reader.next());
  }
  reader.receive("c");
  const auto read = reader.next();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, Kind::message);
  EXPECT_EQ(read->text, "abc");
  EXPECT_FALSE(reader.next());
}

TEST(WebSocketTest, PutsPiecesTogetherAroundAPing) {
  WebSocketReader reader = reader_of(bytes({0x02, 1, 'a', 0x89, 1, 'p', 0x80, 1, 'b'}));
  EXPECT_EQ(reader.next()->kind, Kind::ping);
  EXPECT_EQ(reader.next()->text, "ab");
}

TEST(WebSocketTest, ReadsALengthInTwoBytes) {
  EXPECT_EQ(reader_of(bytes({0x82, 126, 1, 0}) + std::string(256, 'y')).next()->text.size(), 256u);
}

TEST(WebSocketTest, EndsWithACloseFrame) {
  WebSocketReader reader = reader_of(bytes({0x88, 0, 0x82, 1, 'a'}));
  EXPECT_EQ(reader.next()->kind, Kind::closed);
  EXPECT_FALSE(reader.next());
}

TEST(WebSocketTest, RefusesWhatAServerMustNotSend) {
  const auto fault_of = [](const std::string& sent) {
    const auto read = reader_of(sent).next();
    return read && read->kind == Kind::broken ? read->text : "nothing";
  };
  EXPECT_THAT(fault_of(bytes({0x82, 0x81, 1, 2, 3, 4, 5})), HasSubstr("mask"));
  EXPECT_THAT(fault_of(bytes({0xc2, 1, 'a'})), HasSubstr("extension"));
  EXPECT_THAT(fault_of(bytes({0x83, 1, 'a'})), HasSubstr("opcode 3"));
  EXPECT_THAT(fault_of(bytes({0x80, 1, 'a'})), HasSubstr("out of order"));
  EXPECT_THAT(fault_of(bytes({0x09, 0})), HasSubstr("control frame"));
  EXPECT_THAT(fault_of(bytes({0x89, 126, 0, 200})), HasSubstr("control frame"));
}

TEST(WebSocketTest, RefusesALengthBeyondTheLimitBeforeItsBytesCome) {
  const auto read = reader_of(bytes({0x82, 127, 0x7f, 0, 0, 0, 0, 0, 0, 0})).next();
  ASSERT_TRUE(read);
  EXPECT_THAT(read->text, HasSubstr("more than 1000 bytes"));
}

TEST(WebSocketTest, RefusesPiecesThatAreTooLongTogether) {
  const std::string piece = bytes({126, 2, 88}) + std::string(600, 'z');
  const auto read = reader_of(bytes({0x02}) + piece + bytes({0x80}) + piece).next();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, Kind::broken);
}

}  // namespace
}  // namespace ichor
