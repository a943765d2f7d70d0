#include "lab/talos/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/test_kit.h"

// What nodes refuse as grpc-go 1.79 and machined 1.12 do, read from their sources.

namespace ichor::lab {
namespace {

using cosi::resource::LabelTerm;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kReset = "/machine.MachineService/Reset";
constexpr const char* kList = "/cosi.resource.State/List";
constexpr const char* kWatch = "/cosi.resource.State/Watch";

std::string to_text(const TestClient::Status& status) {
  return std::string(name_of(status.code)) + ": " + status.text;
}

/// How a call ends whose request are these bytes.
std::string end_of(TestClient& client, const char* path, const std::string& bytes) {
  const auto stream = client.open_raw(path, bytes);
  if (!stream) return "no connection";
  cosi::resource::WatchResponse response;
  while (stream->read(response)) {
  }
  return to_text(stream->finish());
}

TEST(TalosServiceTest, RefusesARequestThatIsNoMessage) {
  TestLab world(1, 0);
  world.start();
  TestClient stranger = world.stranger("cp1");
  const std::string codec = "proto: cannot parse invalid wire-format data";
  const std::string unary = "Internal: grpc: error unmarshalling request: " + codec;
  const std::string stream = "Internal: grpc: failed to unmarshal the received message: " + codec;
  const std::string cut_off(
      "\x0a\x05"
      "abc");
  EXPECT_EQ(end_of(stranger, "/machine.MachineService/ApplyConfiguration", cut_off), unary);
  EXPECT_EQ(end_of(stranger, "/cosi.resource.State/Get", cut_off), unary);
  EXPECT_EQ(end_of(stranger, kList, cut_off), stream);
  EXPECT_EQ(end_of(stranger, kWatch, cut_off), stream);
  ASSERT_TRUE(world.apply("cp1").ok());
  TestClient admin = world.admin("cp1");
  EXPECT_EQ(end_of(admin, "/machine.MachineService/Version", cut_off), unary);
  // Fields that it does not know are of a newer client.
  EXPECT_THAT(end_of(admin, "/machine.MachineService/Version", "\xfa\x3f\x01x"), StartsWith("OK"));
}

TEST(TalosServiceTest, RefusesAMalformedNameBeforeAnythingElse) {
  TestLab world(1, 0);
  world.start();
  TestClient stranger = world.stranger("cp1");
  EXPECT_EQ(end_of(stranger, "/Version", ""), "Unimplemented: malformed method name: \"/Version\"");
  EXPECT_THAT(end_of(stranger, "/no.Service/Version", ""), HasSubstr("no.Service"));
}

TEST(TalosServiceTest, RefusesQueriesThatItDoesNotKnow) {
  TestLab world(1, 0);
  world.start();
  TestClient stranger = world.stranger("cp1");
  cosi::resource::ListRequest list;
  list.set_namespace_("network");
  list.set_type("LinkStatuses.net.talos.dev");
  LabelTerm& term = *list.mutable_options()->add_label_query()->add_terms();
  cosi::resource::WatchRequest watch;
  watch.set_namespace_(list.namespace_());
  watch.set_type(list.type());
  LabelTerm& watched = *watch.mutable_options()->add_label_query()->add_terms();
  const auto ends = [&] {
    watched = term;
    const std::string end = end_of(stranger, kList, list.SerializeAsString());
    EXPECT_EQ(end_of(stranger, kWatch, watch.SerializeAsString()), end);
    return end;
  };
  term.set_key("a");
  term.set_op(static_cast<LabelTerm::Operation>(9));
  EXPECT_EQ(ends(), "Unimplemented: unsupported label query operator: 9");
  term.set_op(LabelTerm::EQUAL);
  EXPECT_EQ(ends(), "Internal: runtime error: index out of range [0] with length 0");
  term.add_value("x");
  EXPECT_THAT(end_of(stranger, kList, list.SerializeAsString()), StartsWith("OK"));
  list.mutable_options()->mutable_id_query()->set_regexp("(");
  EXPECT_THAT(end_of(stranger, kList, list.SerializeAsString()),
              StartsWith("InvalidArgument: failed to compile regexp: "));
}

TEST(TalosServiceTest, RefusesAResetWhoseParametersDoNotFitItsMode) {
  TestLab world(1, 0);
  world.start();
  ASSERT_TRUE(world.apply("cp1").ok());
  TestClient admin = world.admin("cp1");
  ASSERT_TRUE(TestLab::reaches(admin, spec::STAGE_BOOTING));
  const auto end = [&](const machine::ResetRequest& request) {
    return end_of(admin, kReset, request.SerializeAsString());
  };
  machine::ResetRequest disks;
  disks.add_user_disks_to_wipe("/dev/sdz");
  EXPECT_EQ(end(disks), "Unknown: reset user disk failed: device /dev/sdz wasn't found");
  disks.set_user_disks_to_wipe(0, "/dev/sda");
  EXPECT_EQ(end(disks), "Unknown: reset user disk failed: device /dev/sda is the system disk");
  disks.set_mode(machine::ResetRequest::SYSTEM_DISK);
  EXPECT_THAT(end(disks), HasSubstr("SYSTEM_DISK doesn't support UserDisksToWipe parameter"));
  machine::ResetRequest partitions;
  partitions.add_system_partitions_to_wipe()->set_label("NOWHERE");
  EXPECT_EQ(end(partitions),
            "Unknown: failed to get volume status with label \"NOWHERE\": resource "
            "VolumeStatuses.block.talos.dev(runtime/NOWHERE@undefined) doesn't exist");
  partitions.set_mode(machine::ResetRequest::USER_DISKS);
  EXPECT_THAT(end(partitions), HasSubstr("USER_DISKS doesn't support SystemPartitionsToWipe"));
  // Nothing of it was done.
  EXPECT_TRUE(TestLab::reaches(admin, spec::STAGE_BOOTING));
}

}  // namespace
}  // namespace ichor::lab
