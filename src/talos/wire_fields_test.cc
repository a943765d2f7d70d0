#include "talos/wire_fields.h"

#include <gtest/gtest.h>
#include <string>

#include "machine.pb.h"

namespace ichor {
namespace {

TEST(WireFields, AreCountedInAllMessages) {
  machine::ServiceListResponse reply;
  auto* item = reply.add_messages();
  for (int i = 0; i < 100; ++i) item->add_services()->set_id("kubelet");
  EXPECT_EQ(wire_fields(reply.SerializeAsString()), 1u + 100u * 2u);
}

TEST(WireFields, OfEmptyMessagesCountAsWell) {
  machine::ServiceListResponse reply;
  auto* item = reply.add_messages();
  for (int i = 0; i < 1'000; ++i) item->add_services();
  EXPECT_EQ(wire_fields(reply.SerializeAsString()), 1'001u);
}

TEST(WireFields, AreNoneInWhatIsNoMessage) {
  EXPECT_EQ(wire_fields(""), 0u);
  EXPECT_EQ(wire_fields("machine:\n  type: controlplane\n"), 0u);
  EXPECT_EQ(wire_fields(std::string(1'000, '\xff')), 0u);
  EXPECT_EQ(wire_fields(std::string_view("\x00\x01", 2)), 0u) << "there is no field 0";
}

TEST(WireFields, AreCountedHoweverDeepTheyLie) {
  std::string body;
  while (body.size() < 100'000) {
    std::string size;
    std::size_t rest = body.size();
    for (; rest > 0x7f; rest >>= 7) size += static_cast<char>(rest | 0x80);
    body = "\x0a" + size + static_cast<char>(rest) + body;
  }
  EXPECT_GT(wire_fields(body), 10u);
}

}  // namespace
}  // namespace ichor
