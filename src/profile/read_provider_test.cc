#include "profile/read_provider.h"

#include <gtest/gtest.h>

#include "profile/read_profile.h"

namespace ichor {
namespace {

ProfileReading read(const std::string& proxmox, const std::string& node = "") {
  return read_profile(
      "name: demo\n"
      "network:\n"
      "  api_endpoint: https://192.168.22.100:6443\n"
      "  node_cidr: 192.168.20.0/22\n"
      "talos: {version: v1.12.6}\n"
      "nodes:\n"
      "  controlplane:\n"
      "    assignments:\n"
      "      - {name: cp1, ip: 192.168.22.101, disk: /dev/sda" +
          node +
          "}\n"
          "      - {name: cp2, ip: 192.168.22.102, disk: /dev/sda}\n"
          "  worker: {assignments: []}\n"
          "providers:\n"
          "  proxmox:\n" +
          proxmox,
      "ichor.yaml");
}

const std::string kWhole =
    "    url: https://pve.example.org:8006/\n"
    "    fingerprint: 'AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:"
    "CD:EF:01:23:45:67:89'\n"
    "    token: {command: pass show 'proxmox/the token'}\n"
    "    hosts: [pve1, pve2]\n"
    "    storage: local-lvm\n"
    "    image: local:iso/talos.iso\n"
    "    first_vmid: 900\n"
    "    first_address: static\n"
    "    worker: {cores: 8, memory_mib: 16384, disk_gib: 100, more_disks_gib: [50, '60']}\n";

TEST(ReadProvider, TakesTheWholeSection) {
  const ProfileReading reading = read(kWhole, ", vmid: 801");
  for (const Finding& finding : reading.findings) ADD_FAILURE() << finding.what;
  ASSERT_TRUE(reading.provider);
  const ProviderPlan& plan = *reading.provider;
  EXPECT_EQ(plan.url, "https://pve.example.org:8006");
  EXPECT_EQ(plan.fingerprint.substr(0, 8), "abcdef01");
  EXPECT_EQ(plan.token.command, (std::vector<std::string>{"pass", "show", "proxmox/the token"}));
  EXPECT_TRUE(plan.first_address);
  EXPECT_EQ(plan.worker.cores, 8);
  EXPECT_EQ(plan.worker.more_disks_gib, (std::vector<std::int64_t>{50, 60}));
  EXPECT_EQ(reading.profile.nodes[0].vmid, 801u);
  EXPECT_EQ(reading.profile.nodes[1].vmid, 901u);
}

TEST(ReadProvider, WithoutAUrlItOnlyDescribesMachines) {
  const ProfileReading reading = read("    machine: q35\n");
  EXPECT_TRUE(reading.findings.empty());
  EXPECT_FALSE(reading.provider);
}

std::vector<std::string> whats(const ProfileReading& reading) {
  std::vector<std::string> texts;
  for (const Finding& finding : reading.findings) {
    EXPECT_EQ(finding.where.rfind("ichor.yaml:", 0), 0u) << finding.where;
    texts.push_back(finding.what);
  }
  return texts;
}

bool any_has(const std::vector<std::string>& texts, const std::string& words) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(words) != text.npos; });
}

TEST(ReadProvider, SaysEverythingThatIsMissingAtOnce) {
  const auto texts = whats(read("    url: https://pve:8006\n    colour: red\n"));
  EXPECT_TRUE(any_has(texts, "token"));
  EXPECT_TRUE(any_has(texts, "hosts"));
  EXPECT_TRUE(any_has(texts, "storage"));
  EXPECT_TRUE(any_has(texts, "image"));
  EXPECT_TRUE(any_has(texts, "vmid"));
  EXPECT_TRUE(any_has(texts, "colour"));
}

TEST(ReadProvider, ATokenHasOneSourceAndNeverStandsInTheProfile) {
  std::string two = kWhole;
  two.replace(two.find("{command: pass show 'proxmox/the token'}"), 40, "{file: a, env: B}");
  EXPECT_TRUE(any_has(whats(read(two)), "one of file, env, command and op"));
  std::string plain = kWhole;
  plain.replace(plain.find("https://pve"), 8, "http://");
  EXPECT_TRUE(any_has(whats(read(plain)), "url"));
}

}  // namespace
}  // namespace ichor
