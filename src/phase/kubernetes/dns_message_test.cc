#include "phase/kubernetes/dns_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint16_t kId = 0x1234;

std::string bytes(std::initializer_list<int> values) {
  std::string result;
  for (const int value : values) result += static_cast<char>(value);
  return result;
}

/// With its length before it.
std::string framed(const std::string& body) {
  return bytes({static_cast<int>(body.size() >> 8), static_cast<int>(body.size() & 0xFF)}) + body;
}

/// A header for one question and some answers, and the question.
std::string head(int flags, int answers) {
  return bytes({0x12, 0x34, flags >> 8, flags & 0xFF, 0, 1, 0, answers, 0, 0, 0, 0}) +
         bytes({1, 'a', 1, 'b', 0, 0, 1, 0, 1});
}

/// A record whose name points to the question's.
std::string record(int type, const std::string& content) {
  return bytes({0xC0, 12, 0, type, 0, 1, 0, 0, 0, 30, 0, static_cast<int>(content.size())}) +
         content;
}

TEST(DnsMessage, AsksForAName) {
  EXPECT_EQ(dns_question(kId, "a.bc", DnsType::a),
            framed(bytes({0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}) +
                   bytes({1, 'a', 2, 'b', 'c', 0, 0, 1, 0, 1})));
}

TEST(DnsMessage, ReadsAddressesAndSkipsOtherRecords) {
  const std::string four =
      framed(head(0x8180, 3) + record(5, bytes({1, 'x', 0})) + record(1, bytes({10, 96, 0, 1})) +
             record(1, bytes({10, 96, 0, 2})));
  const auto answer = read_dns_answer(four, kId, DnsType::a);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->code, 0);
  EXPECT_THAT(answer->addresses, ElementsAre("10.96.0.1", "10.96.0.2"));
  const std::string six = framed(
      head(0x8180, 1) + record(28, bytes({0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})));
  EXPECT_THAT(read_dns_answer(six, kId, DnsType::aaaa)->addresses,
              ElementsAre("fd00:0:0:0:0:0:0:1"));
}

TEST(DnsMessage, TellsWhyANameIsNotResolved) {
  const auto answer = read_dns_answer(framed(head(0x8183, 0)), kId, DnsType::a);
  ASSERT_TRUE(answer);
  EXPECT_EQ(dns_code_name(answer->code), "NXDOMAIN");
  EXPECT_EQ(dns_code_name(11), "code 11");
}

TEST(DnsMessage, RefusesWhatIsNoAnswerToTheQuestion) {
  const std::string good = framed(head(0x8180, 1) + record(1, bytes({10, 96, 0, 1})));
  const auto other = read_dns_answer(good, kId + 1, DnsType::a);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("not for this question"));
  EXPECT_FALSE(read_dns_answer(framed(head(0x0100, 0)), kId, DnsType::a)) << "it is a question";
  EXPECT_FALSE(read_dns_answer("", kId, DnsType::a));
  // Wherever it is cut, it is no answer, and never one that says nothing.
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(is_whole_dns_answer(good.substr(0, size))) << size;
    EXPECT_FALSE(read_dns_answer(good.substr(0, size), kId, DnsType::a)) << size;
  }
  EXPECT_TRUE(is_whole_dns_answer(good));
}

}  // namespace
}  // namespace ichor
