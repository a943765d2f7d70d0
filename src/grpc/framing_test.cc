#include "grpc/framing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ichor::grpc {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;

TEST(Framing, AMessageHasAFlagAndFourBytesOfLengthBeforeIt) {
  EXPECT_EQ(frame_message("abc"), std::string("\0\0\0\0\3abc", 8));
  EXPECT_EQ(frame_message(std::string(0x010203, 'x')).substr(0, 5), std::string("\0\0\1\2\3", 5));
}

RC_GTEST_PROP(Framing, MessagesSurviveAnyCutting, ()) {
  const auto messages = *rc::gen::arbitrary<std::vector<std::string>>();
  std::string bytes;
  for (const std::string& message : messages) bytes += frame_message(message);
  MessageReader reader(1 << 20);
  std::deque<std::string> out;
  while (!bytes.empty()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, bytes.size() + 1);
    RC_ASSERT(reader.feed(bytes.substr(0, size), out) == MessageReader::Result::fine);
    bytes.erase(0, size);
  }
  RC_ASSERT(!reader.inside_message());
  RC_ASSERT(std::vector<std::string>(out.begin(), out.end()) == messages);
}

TEST(Framing, ALengthBeyondTheLimitIsRefusedBeforeTheBytesCome) {
  MessageReader reader(1000);
  std::deque<std::string> out;
  EXPECT_EQ(reader.feed(std::string("\0\xff\xff\xff\xff", 5), out),
            MessageReader::Result::too_large);
  EXPECT_EQ(reader.announced_bytes(), 0xffffffffu);
  EXPECT_EQ(reader.feed("more", out), MessageReader::Result::too_large);
  EXPECT_TRUE(out.empty());
}

TEST(Framing, ACompressedMessageIsRefused) {
  MessageReader reader(1000);
  std::deque<std::string> out;
  EXPECT_EQ(reader.feed(std::string("\1\0\0\0\1", 5), out), MessageReader::Result::compressed);
}

TEST(Framing, StatusTextsKeepPrintableAsciiOnly) {
  EXPECT_EQ(encode_status_text("a%b\n\xc3\xa9"), "a%25b%0A%C3%A9");
  EXPECT_EQ(decode_status_text("a%25b%0a%C3%A9"), "a%b\n\xc3\xa9");
  EXPECT_EQ(decode_status_text("50% %zz %4"), "50% %zz %4");
}

RC_GTEST_PROP(Framing, EveryStatusTextSurvives, (const std::string& text)) {
  RC_ASSERT(decode_status_text(encode_status_text(text)) == text);
}

TEST(Framing, ATimeoutIsRoundedUpToEightDigits) {
  EXPECT_EQ(encode_timeout(nanoseconds(99'999'999)), "99999999n");
  EXPECT_EQ(encode_timeout(nanoseconds(100'000'001)), "100001u");
  EXPECT_EQ(encode_timeout(seconds(60)), "60000000u");
  EXPECT_EQ(encode_timeout(hours(100)), "360000S");
  EXPECT_EQ(encode_timeout(-seconds(1)), "0n");
  EXPECT_EQ(decode_timeout("60000000u"), seconds(60));
  EXPECT_EQ(decode_timeout("5m"), milliseconds(5));
  EXPECT_EQ(decode_timeout("99999999H"), Duration::max());
  for (const char* bad : {"", "5", "m", "-5m", "5x", "123456789m", "5 m"}) {
    EXPECT_EQ(decode_timeout(bad), std::nullopt) << bad;
  }
}

RC_GTEST_PROP(Framing, BinaryValuesSurvive, (const std::string& bytes)) {
  RC_ASSERT(decode_binary(encode_binary(bytes)) == bytes);
}

TEST(Framing, BinaryValuesAreReadWithAndWithoutPadding) {
  EXPECT_EQ(encode_binary("ab"), "YWI");
  EXPECT_EQ(decode_binary("YWI="), "ab");
  EXPECT_EQ(decode_binary("YWI"), "ab");
  EXPECT_EQ(decode_binary("Y"), std::nullopt);
  EXPECT_EQ(decode_binary("Y*=="), std::nullopt);
}

}  // namespace
}  // namespace ichor::grpc
