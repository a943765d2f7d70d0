#include "lab/cosi/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/test_kit.h"
#include "spec_block.pb.h"
#include "spec_network.pb.h"

namespace ichor::lab {
namespace {

using testing::ElementsAre;

std::string hex(const std::string& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// A resource read from a lab node in maintenance mode.
cosi::resource::Resource read(TestClient& client, const std::string& space, const std::string& type,
                              const std::string& id) {
  cosi::resource::GetRequest request;
  request.set_namespace_(space);
  request.set_type(type);
  request.set_id(id);
  cosi::resource::GetResponse response;
  const TestClient::Status status = client.call("/cosi.resource.State/Get", request, response);
  EXPECT_TRUE(status.ok()) << status.text;
  return response.resource();
}

class KindsTest : public testing::Test {
 protected:
  KindsTest() : world_(1, 0) {
    world_.profile.nodes.front().mac = MacAddress("52:54:00:00:00:65");
    world_.start();
    client_.reset(new TestClient(world_.stranger("cp1")));
    EXPECT_TRUE(TestLab::reaches(*client_, spec::STAGE_MAINTENANCE));
  }
  TestLab world_;
  std::unique_ptr<TestClient> client_;
};

// The expected bytes and texts were printed by Talos 1.12.6's own modules for the same content.
TEST_F(KindsTest, ResourcesAreWrittenAsTalosWritesThem) {
  const auto status = read(*client_, "runtime", "MachineStatuses.runtime.talos.dev", "machine");
  EXPECT_EQ(hex(status.spec().proto_spec()), "080312020801");
  EXPECT_EQ(status.spec().yaml_spec(),
            "stage: maintenance\nstatus:\n    ready: true\n    unmetConditions: []\n");
  EXPECT_EQ(status.metadata().owner(), "runtime.MachineStatusController");
  EXPECT_EQ(status.metadata().phase(), "running");

  const auto type = read(*client_, "config", "MachineTypes.config.talos.dev", "machine-type");
  EXPECT_EQ(type.spec().proto_spec(), "");
  EXPECT_EQ(type.spec().yaml_spec(), "unknown\n");

  const auto version = read(*client_, "runtime", "Versions.runtime.talos.dev", "version");
  EXPECT_EQ(hex(version.spec().proto_spec()), "0a0776312e31322e36");
  EXPECT_EQ(version.spec().yaml_spec(), "version: v1.12.6\n");

  const auto network = read(*client_, "network", "NetworkStatuses.net.talos.dev", "status");
  EXPECT_EQ(hex(network.spec().proto_spec()), "0801100118012001");
}

TEST_F(KindsTest, ALinkHasTheBytesOfARealOne) {
  const auto link = read(*client_, "network", "LinkStatuses.net.talos.dev", "eth0");
  spec::LinkStatus mine;
  ASSERT_TRUE(mine.ParseFromString(link.spec().proto_spec()));
  spec::LinkStatus real;
  // A virtio card with the same address and bus path, as tests/vm recorded one, from the real
  // modules; written in Go's order of fields.
  const std::string bytes = std::string(
      "\x82\x02\x0f"
      "enx525400000065\x08\x02\x10\x01 \xc3\xa0\x04*\x06RT\x00\x00\x00"
      "e\xf2\x01\x06RT\x00\x00\x00"
      "e2\x06\xff\xff\xff\xff\xff\xff"
      "8\xdc\x0b"
      "B\x08"
      "fq_codelP\x06j\x0c"
      "0000:00:02.0z\x0avirtio_net\x82\x01\x05"
      "1.0.0\x92\x01\x06"
      "0x1000\x9a\x01\x06"
      "0x1af4\xa2\x01\x15Virtio network device\xaa\x01\x0dRed Hat, Inc.\xb0\x01\x01\xb8\x01"
      "\xff\xff\xff\xff\x0f\xc0\x01\xff\x01\xc8\x01\xff\x01",
      176);
  ASSERT_TRUE(real.ParseFromString(bytes));
  EXPECT_EQ(mine.SerializeAsString(), real.SerializeAsString());
}

TEST_F(KindsTest, ADiskIsListedWithItsSizeForPeople) {
  const auto disk = read(*client_, "runtime", "Disks.block.talos.dev", "sda");
  spec::Disk spec;
  ASSERT_TRUE(spec.ParseFromString(disk.spec().proto_spec()));
  EXPECT_EQ(spec.dev_path(), "/dev/sda");
  EXPECT_EQ(spec.pretty_size(), "69 GB");
  EXPECT_TRUE(disk.spec().yaml_spec().starts_with(
      "dev_path: /dev/sda\nsize: 68719476736\npretty_size: 69 GB\nio_size: 512\n"));
}

TEST_F(KindsTest, DefinitionsTellTalosctlTheAliases) {
  const auto definition = read(*client_, "meta", "ResourceDefinitions.meta.cosi.dev",
                               "machinestatuses.runtime.talos.dev");
  EXPECT_EQ(
      hex(definition.spec().proto_spec()),
      "0a214d616368696e6553746174757365732e72756e74696d652e74616c6f732e646576120d4d616368696e"
      "655374617475731a0772756e74696d65220d6d616368696e6573746174757322026d732a0f6d616368696e"
      "6573746174757365732a176d616368696e6573746174757365732e72756e74696d652a1d6d616368696e65"
      "73746174757365732e72756e74696d652e74616c6f732a0d6d616368696e657374617475732a026d733211"
      "0a05537461676512087b2e73746167657d32180a055265616479120f7b2e7374617475732e72656164797d");
}

TEST(SizeTest, BytesAreShownWithPowersOfTenAndRounded) {
  EXPECT_EQ(pretty_size(512), "512 B");
  EXPECT_EQ(pretty_size(10737418240), "11 GB");
  EXPECT_EQ(pretty_size(104857600), "105 MB");
  EXPECT_EQ(pretty_size(2'203'058'176), "2.2 GB");
}

TEST(KindTableTest, TypesAreFoundInAnyCaseAndNamespacesAreKnown) {
  ASSERT_NE(find_kind("disks.block.talos.dev"), nullptr);
  EXPECT_EQ(find_kind("disks.block.talos.dev")->type, "Disks.block.talos.dev");
  EXPECT_EQ(find_kind("disks"), nullptr);
  EXPECT_TRUE(is_space("runtime"));
  EXPECT_FALSE(is_space("block"));
}

}  // namespace
}  // namespace ichor::lab
