#include "profile/read_profile.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

ProfileReading read(std::string_view text) { return read_profile(text, "p.yaml"); }

constexpr std::string_view kSmall =
    "name: small\n"
    "network: {api_endpoint: 10.0.0.1, node_cidr: 10.0.0.0/24}\n"
    "talos: {version: v1.13.0}\n"
    "nodes: {controlplane: {assignments: [{name: a, ip: 10.0.0.1, disk: /dev/vda}]}}\n";

TEST(Profile, TheReferenceIsRead) {
  const ProfileReading reading =
      read_profile(read_file("examples/reference/ichor.yaml"), "ichor.yaml");
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  const ClusterProfile& profile = reading.profile;
  EXPECT_EQ(profile.name, "reference");
  EXPECT_EQ(profile.network.api_endpoint, "https://192.168.22.100:6443");
  EXPECT_EQ(profile.network.node_cidr, "192.168.20.0/22");
  EXPECT_EQ(profile.network.gateway, "192.168.23.254");
  EXPECT_EQ(profile.network.pod_cidr, "10.42.0.0/16");
  EXPECT_EQ(profile.network.service_cidr, "10.43.0.0/16");
  EXPECT_EQ(profile.network.vip, "192.168.22.100");
  EXPECT_EQ(profile.network.vip_interface, "eth0");
  EXPECT_THAT(profile.network.nameservers, ElementsAre("1.1.1.1", "9.9.9.9"));
  EXPECT_EQ(profile.talos.version, (TalosVersion{1, 12, 6}));
  EXPECT_EQ(profile.talos.contract, (TalosVersion{1, 12, 0}));
  EXPECT_EQ(profile.control_plane_count(), 3);
  ASSERT_EQ(profile.nodes.size(), 6u);
  const NodePlan& w3 = *profile.find(NodeName("w3"));
  EXPECT_EQ(w3.role, Role::worker);
  EXPECT_EQ(w3.address.value(), "192.168.22.113");
  EXPECT_EQ(w3.maintenance_address, w3.address);
  EXPECT_EQ(w3.mac.value(), "52:54:00:16:01:13");
  EXPECT_EQ(profile.retry.max, std::chrono::seconds(60));
  EXPECT_EQ(profile.budgets.etcd, std::chrono::minutes(20));
}

TEST(Profile, MachinesAreLookedForInOtherNetworksToo) {
  const auto with = [](const char* scan) {
    std::string text(kSmall);
    return read(text.replace(text.find("node_cidr"), 0, fmt::format("scan: {}, ", scan)));
  };
  const ProfileReading reading = with("[192.168.30.0/24, 10.0.0.5-9]");
  ASSERT_TRUE(reading.ok());
  EXPECT_EQ(reading.scan, "192.168.30.0/24,10.0.0.5-9");
  EXPECT_FALSE(with("[10.0.0.0/8]").ok());
  EXPECT_FALSE(with("[10.1.0.0/16, 10.2.0.0/16, 10.3.0.0/16, 10.4.0.0/16, 10.5.0.0/16]").ok());
}

TEST(Profile, ANodeWithoutAStaticAddressIsRefusedWithTheReason) {
  std::string text(kSmall);
  const std::string_view ip = "ip: 10.0.0.1, ";
  const ProfileReading reading = read(text.replace(text.find(ip), ip.size(), ""));
  ASSERT_EQ(reading.findings.size(), 1u);
  EXPECT_THAT(reading.findings[0].what, HasSubstr("ichor gives every node a static address"));
  EXPECT_THAT(reading.findings[0].fix, HasSubstr("outside of the DHCP pool"));
}

TEST(Profile, ASmallOneHasDefaults) {
  const ProfileReading reading = read(kSmall);
  ASSERT_TRUE(reading.ok());
  const ClusterProfile& profile = reading.profile;
  EXPECT_EQ(profile.network.api_endpoint, "https://10.0.0.1:6443");
  EXPECT_EQ(profile.network.dns_domain, "cluster.local");
  EXPECT_EQ(profile.talos.contract, (TalosVersion{1, 13, 0}));
  EXPECT_EQ(profile.trust, Trust::tofu);
  EXPECT_EQ(profile.worker_order, WorkerOrder::with_control_planes);
  EXPECT_FALSE(profile.sequential);
  EXPECT_EQ(profile.retry.retries, 5);
}

TEST(Profile, EveryFieldArrives) {
  const ProfileReading reading = read(
      "name: full\n"
      "network: {api_endpoint: api.lab:443, node_cidr: 10.0.0.0/24, vlan: 22, vlan_tagged_by: "
      "node}\n"
      "talos:\n"
      "  version: v1.12.6\n"
      "  contract: v1.11\n"
      "  secure_boot: true\n"
      "  cni: none\n"
      "  allow_scheduling_on_control_planes: true\n"
      "  secrets_file: s.yaml\n"
      "trust: pin\n"
      "order: {workers: after-api, apply: sequential, concurrency: 2}\n"
      "retry: {initial: 500ms, factor: 1.5, max: 10s, retries: 0}\n"
      "budgets: {poll: 2s}\n"
      "nodes:\n"
      "  controlplane:\n"
      "    assignments:\n"
      "      - name: a\n"
      "        ip: 10.0.0.1\n"
      "        dhcp_ip: 10.0.0.77\n"
      "        mac: 52-54-00-AA-BB-01\n"
      "        uuid: 4C4C4544-0042-4B10-8057-B3C04F565331\n"
      "        serial: 12345\n"
      "        vmid: 101\n"
      "        diskSelector: {size: '>= 100GB', type: nvme, busPath: /pci*}\n"
      "        labels: {zone: 1, gpu: true, empty: }\n"
      "        taints: [a=b:NoSchedule]\n"
      "        pin: 2bYnrcl1nDNZ7sYtgK0yLlM3WRcrUhLkrWbZJ3yyCQU=\n");
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  const ClusterProfile& profile = reading.profile;
  EXPECT_EQ(profile.network.vlan, 22);
  EXPECT_TRUE(profile.network.vlan_tagged_by_node);
  EXPECT_EQ(profile.talos.contract, (TalosVersion{1, 11, 0}));
  EXPECT_TRUE(profile.talos.secure_boot);
  EXPECT_TRUE(profile.talos.cni_none);
  EXPECT_TRUE(profile.talos.allow_scheduling_on_control_planes);
  EXPECT_EQ(profile.talos.secrets_file, "s.yaml");
  EXPECT_EQ(profile.trust, Trust::pin);
  EXPECT_EQ(profile.worker_order, WorkerOrder::after_api);
  EXPECT_TRUE(profile.sequential);
  EXPECT_EQ(profile.concurrency, 2);
  EXPECT_EQ(profile.retry.initial, std::chrono::milliseconds(500));
  EXPECT_EQ(profile.retry.factor, 1.5);
  EXPECT_EQ(profile.retry.retries, 0);
  EXPECT_EQ(profile.budgets.poll, std::chrono::seconds(2));
  const NodePlan& node = profile.nodes.front();
  EXPECT_EQ(node.maintenance_address.value(), "10.0.0.77");
  EXPECT_EQ(node.mac.value(), "52:54:00:aa:bb:01");
  EXPECT_EQ(node.uuid.value(), "4c4c4544-0042-4b10-8057-b3c04f565331");
  EXPECT_EQ(node.serial.value(), "12345");
  EXPECT_EQ(node.vmid, 101u);
  EXPECT_EQ(node.disk_selector.size, ">= 100GB");
  EXPECT_EQ(node.disk_selector.type, "nvme");
  EXPECT_EQ(node.disk_selector.bus_path, "/pci*");
  EXPECT_EQ(node.labels.at("zone"), "1");
  EXPECT_EQ(node.labels.at("gpu"), "true");
  EXPECT_EQ(node.labels.at("empty"), "");
  EXPECT_EQ(node.taints.front().effect, "NoSchedule");
  EXPECT_EQ(node.pin.value().size(), 44u);
}

TEST(Profile, RemembersWhereValuesStand) {
  const ProfileReading reading = read(kSmall);
  EXPECT_EQ(reading.source.where("network.node_cidr"), "p.yaml:2:46");
  EXPECT_EQ(reading.source.where("nodes.controlplane.assignments[0].ip"), "p.yaml:4:52");
  EXPECT_EQ(reading.source.where("nodes.controlplane.assignments[0].mac"), "p.yaml:4:38");
  EXPECT_EQ(reading.source.where("no.such.thing"), "p.yaml:1:1");
}

TEST(Profile, HostileTextsEndInOneFinding) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[";
  for (const std::string& text : {deep, std::string(5'000'000, 'a'), std::string("\0\0\0", 3)}) {
    const ProfileReading reading = read(text);
    ASSERT_EQ(reading.findings.size(), 1u);
    EXPECT_EQ(reading.findings.front().id, "profile.syntax");
    EXPECT_THAT(reading.findings.front().where, HasSubstr("p.yaml:1:"));
  }
}

TEST(Profile, AScalarOrAListIsNoProfile) {
  EXPECT_EQ(read("hello\n").findings.front().what, "the profile must be a mapping, not a string");
  EXPECT_EQ(read("- a\n").findings.front().what, "the profile must be a mapping, not a list");
  EXPECT_EQ(read("---\n").findings.front().what, "the file is empty");
}

}  // namespace
}  // namespace ichor
