// The recorded bytes of real Talos resources, against our own .proto files.

#include <charconv>
#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/wire_format_lite.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "spec_block.pb.h"
#include "spec_cluster.pb.h"
#include "spec_network.pb.h"
#include "spec_runtime.pb.h"
#include "talos/test_declarations.h"

namespace ichor {
namespace {

using testing::ElementsAre;

std::string bytes_from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

/// Whether proto/ declares every field of a message.
bool is_declared_entirely(const std::string& type, const std::string& bytes) {
  using google::protobuf::internal::WireFormatLite;
  const auto declared = declarations().fields.find(type);
  if (declared == declarations().fields.end()) return false;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    if (!declared->second.contains(WireFormatLite::GetTagFieldNumber(tag))) return false;
    if (!WireFormatLite::SkipField(&in, tag)) return false;
  }
  return true;
}

/// Parses a recording. What is written back must have the same length, which says that no field was
/// left over: an unknown one would survive too, so that is looked at as well. Bytes are not
/// compared, because Go writes fields in another order.
template <class Spec>
Spec parse(std::string_view hex) {
  Spec spec;
  const std::string bytes = bytes_from_hex(hex);
  EXPECT_TRUE(spec.ParseFromString(bytes)) << hex;
  EXPECT_TRUE(is_declared_entirely(spec.GetTypeName(), bytes)) << hex;
  EXPECT_EQ(spec.SerializeAsString().size(), bytes.size());
  Spec again;
  EXPECT_TRUE(again.ParseFromString(spec.SerializeAsString()));
  EXPECT_EQ(again.SerializeAsString(), spec.SerializeAsString());
  return spec;
}

TEST(Wire, MachineStatusInMaintenance) {
  const auto status = parse<spec::MachineStatus>("080312020801");
  EXPECT_EQ(status.stage(), spec::STAGE_MAINTENANCE);
  EXPECT_TRUE(status.status().ready());
  EXPECT_EQ(status.status().unmet_conditions_size(), 0);
}

TEST(Wire, MachineStatusShuttingDownWithAnUnmetCondition) {
  const auto status = parse<spec::MachineStatus>(
      "0806121e121c0a087365727669636573121065746364206e6f742072756e6e696e67");
  EXPECT_EQ(status.stage(), spec::STAGE_SHUTTING_DOWN);
  EXPECT_FALSE(status.status().ready());
  ASSERT_EQ(status.status().unmet_conditions_size(), 1);
  EXPECT_EQ(status.status().unmet_conditions(0).name(), "services");
  EXPECT_EQ(status.status().unmet_conditions(0).reason(), "etcd not running");
}

TEST(Wire, Disk) {
  const auto disk = parse<spec::Disk>(
      "72082f6465762f7364610880808080287a0531312047421080041880042a0d51454d5520484152444449534b5a06"
      "7669"
      "7274696f60019201112f6465762f6469736b2f62792d69642f78");
  EXPECT_EQ(disk.dev_path(), "/dev/sda");
  EXPECT_EQ(disk.size(), 10737418240u);
  EXPECT_EQ(disk.pretty_size(), "11 GB");
  EXPECT_EQ(disk.io_size(), 512u);
  EXPECT_EQ(disk.sector_size(), 512u);
  EXPECT_EQ(disk.model(), "QEMU HARDDISK");
  EXPECT_EQ(disk.transport(), "virtio");
  EXPECT_TRUE(disk.rotational());
  EXPECT_THAT(disk.symlinks(), ElementsAre("/dev/disk/by-id/x"));
}

TEST(Wire, NodeAddress) {
  const auto addresses = parse<spec::NodeAddress>("0a080a040a05000210181001");
  ASSERT_EQ(addresses.addresses_size(), 1);
  EXPECT_EQ(addresses.addresses(0).ip(), std::string("\x0a\x05\x00\x02", 4));
  EXPECT_EQ(addresses.addresses(0).prefix_length(), 24);
  EXPECT_EQ(addresses.sort_algorithm(), spec::SORT_V2);
}

TEST(Wire, AddressStatus) {
  const auto address = parse<spec::AddressStatus>("0a080a040a050002101830023a04657468304002508001");
  EXPECT_EQ(address.link_name(), "eth0");
  EXPECT_EQ(address.link_index(), 2u);
  EXPECT_EQ(address.family(), spec::FAMILY_INET4);
  EXPECT_EQ(address.scope(), spec::SCOPE_GLOBAL);
  EXPECT_EQ(address.flags(), 0x80u);
}

TEST(Wire, MemberWithoutItsNodeId) {
  const auto member = parse<spec::Member>(
      "12060a040a0500021a0463702d3120022a0f54616c6f73202876312e31332e3929320308ab32");
  EXPECT_EQ(member.hostname(), "cp-1");
  EXPECT_EQ(member.machine_type(), spec::KIND_CONTROL_PLANE);
  EXPECT_EQ(member.operating_system(), "Talos (v1.13.9)");
  EXPECT_EQ(member.control_plane().api_server_port(), 6443);
}

TEST(Wire, StaticPodStatus) {
  const auto pod = parse<spec::StaticPodStatus>("0a140a120a05706861736512091a0752756e6e696e67");
  EXPECT_EQ(pod.pod_status().fields().at("phase").string_value(), "Running");
}

TEST(Wire, MachineTypeTimeStatusAndVolumeStatus) {
  EXPECT_EQ(parse<spec::MachineType>("0802").machine_type(), spec::KIND_CONTROL_PLANE);
  const auto time = parse<spec::TimeStatus>("08011001");
  EXPECT_TRUE(time.synced());
  EXPECT_EQ(time.epoch(), 1);
  const auto volume = parse<spec::VolumeStatus>("08065001");
  EXPECT_EQ(volume.phase(), spec::PHASE_READY);
  EXPECT_EQ(volume.filesystem(), spec::FILESYSTEM_XFS);
}

}  // namespace
}  // namespace ichor
