#include "sim/node/config_judge_yaml.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "phase/install_disk.h"
#include "sim/node/bench.h"
#include "sim/node/disk_selector.h"
#include "yaml/document.h"

namespace ichor::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

/// golden/config_verdicts.json: what the real loader and validation of machinery 1.12.6 said.
struct GoldenVerdicts : ::testing::Test {
  nlohmann::json golden = [] {
    std::ifstream file("sim/node/golden/config_verdicts.json");
    return nlohmann::json::parse(file);
  }();

  static NodeSpec node(const std::string& mode, Personality personality) {
    NodeSpec spec;
    spec.personality = personality;
    spec.platform = mode == "metal" ? Platform::metal : Platform::container;
    Disk disk;
    disk.id = "sda";
    disk.dev_path = "/dev/sda";
    disk.size_bytes = 200'000'000'000;
    disk.transport = "sata";
    spec.disks = {disk};
    return spec;
  }
};

TEST_F(GoldenVerdicts, AreReproducedInMaintenanceByBothPersonalities) {
  YamlJudge judge;
  ASSERT_GE(golden["cases"].size(), 60u);
  for (const auto& row : golden["cases"]) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const std::string text = row["text"];
    const std::string step = row["step"];
    const NodeSpec old = node(row["mode"], Personality::v1_12);
    const NodeSpec current = node(row["mode"], Personality::v1_13);
    const ConfigJudgement& by_old = judge.judge(row["config"], old, true);
    const ConfigJudgement& by_current = judge.judge(row["config"], current, true);
    ASSERT_EQ(by_old.has_value(), step == "fine") << (by_old ? "taken" : by_old.error().text);
    ASSERT_EQ(by_current.has_value(), step == "fine");
    if (step == "fine") {
      EXPECT_EQ(by_old->warnings, row.value("warnings", std::vector<std::string>{}));
      continue;
    }
    EXPECT_EQ(name_of(by_old.error().code), step == "load" ? "Unknown" : "InvalidArgument");
    EXPECT_EQ(
        by_old.error().text,
        (step == "load" ? "failed to parse config: " : "configuration validation failed: ") + text);
    EXPECT_EQ(name_of(by_current.error().code), "InvalidArgument");
    EXPECT_EQ(by_current.error().text, text);
  }
}

TEST_F(GoldenVerdicts, HaveNoPrefixOnAConfiguredNode) {
  YamlJudge judge;
  for (const auto& row : golden["cases"]) {
    if (row["step"] != "load") continue;
    const auto& judgement =
        judge.judge(row["config"], node(row["mode"], Personality::v1_12), false);
    ASSERT_FALSE(judgement) << row["name"];
    EXPECT_EQ(name_of(judgement.error().code), "InvalidArgument");
    EXPECT_EQ(judgement.error().text, row["text"].get<std::string>());
  }
}

struct YamlJudgeTest : ::testing::Test {
  YamlJudge judge;
  NodeSpec spec;
  std::string config =
      "version: v1alpha1\n"
      "machine:\n"
      "    type: controlplane\n"
      "    ca: {crt: Zm9v, key: YmFy}\n"
      "    install: {disk: /dev/sda}\n"
      "cluster:\n"
      "    id: one\n"
      "    secret: two\n"
      "    token: three\n"
      "    clusterName: bench\n"
      "    controlPlane: {endpoint: 'https://10.5.0.50:6443'}\n";

  YamlJudgeTest() {
    Disk disk;
    disk.id = "sda";
    disk.dev_path = "/dev/sda";
    disk.transport = "sata";
    disk.size_bytes = 50'000'000'000;
    spec.disks = {disk};
    disk.id = "nvme0n1";
    disk.dev_path = "/dev/nvme0n1";
    disk.transport = "nvme";
    disk.size_bytes = 500'000'000'000;
    spec.disks.push_back(disk);
  }

  std::string with(const std::string& from, const std::string& to) const {
    std::string changed = config;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  }
  const ConfigFacts& facts(const std::string& text) {
    const ConfigJudgement& judgement = judge.judge(text, spec, true);
    EXPECT_TRUE(judgement) << judgement.error().text;
    return *judgement;
  }
};

TEST_F(YamlJudgeTest, TakesOutWhatANodeNeeds) {
  const std::string whole = config +
                            "    network: {cni: {name: none}}\n"
                            "---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: cp1\n"
                            "---\napiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\naddresses:\n"
                            "    - address: 10.5.0.2/24\n"
                            "---\napiVersion: v1alpha1\nkind: Layer2VIPConfig\nname: 10.5.0.50\n"
                            "link: eth0\n";
  const ConfigFacts& found = facts(whole);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.role, Role::control_plane);
  EXPECT_EQ(found.hostname, NodeName("cp1"));
  EXPECT_EQ(found.static_address, IpAddress("10.5.0.2"));
  EXPECT_EQ(found.install_disk, "/dev/sda");
  EXPECT_EQ(found.cluster_name, "bench");
  EXPECT_EQ(found.endpoint, "https://10.5.0.50:6443");
  EXPECT_TRUE(found.cni_none);
  // SHA-256 of "Zm9v" and of "one\ntwo\nthree", by sha256sum.
  EXPECT_EQ(to_hex(found.os_ca),
            "a9348e4afdda1c9e00c21e7a8be625e5c75360bf6f741804551b58b7f491f3f2");
  EXPECT_EQ(to_hex(found.secrets),
            "058053d87c818d699cde0f00d670bca0e1c6ad857caa9758ea6a556d7c64fcee");
  EXPECT_EQ(&facts(whole), &found);  // remembered, at the same place
}

TEST_F(YamlJudgeTest, OldStyleNetworkCountsToo) {
  const ConfigFacts& found = facts(with(
      "    install:",
      "    network:\n        hostname: old\n        interfaces:\n            - interface: eth0\n"
      "              dhcp: true\n            - interface: eth1\n"
      "              addresses: [10.9.0.7/16]\n    install:"));
  EXPECT_EQ(found.hostname, NodeName("old"));
  EXPECT_EQ(found.static_address, IpAddress("10.9.0.7"));
}

/// The user's machine-network template gives lo an address for the resolver.
TEST_F(YamlJudgeTest, AnAddressOfLoIsNotWhereTheNodeIs) {
  const ConfigFacts& found =
      facts(with("    install:",
                 "    network:\n        interfaces:\n            - interface: lo\n"
                 "              addresses: [169.254.116.108/32]\n            - interface: eth0\n"
                 "              addresses: [10.9.0.7/16]\n    install:"));
  EXPECT_EQ(found.static_address, IpAddress("10.9.0.7"));
}

TEST_F(YamlJudgeTest, OrderAndStyleDoNotChangeAConfigButValuesDo) {
  const std::string reordered =
      "# the same\ncluster:\n  secret: 'two'\n  id: one\n  token: \"three\"\n  clusterName: bench\n"
      "  controlPlane:\n    endpoint: https://10.5.0.50:6443\n"
      "machine:\n  install:\n    disk: /dev/sda\n  ca:\n    key: YmFy\n    crt: Zm9v\n"
      "  type: controlplane\nversion: v1alpha1\n";
  EXPECT_EQ(facts(config).canonical, facts(reordered).canonical);
  EXPECT_NE(facts(config).canonical, facts(with("bench", "other")).canonical);
  EXPECT_EQ(facts(config).secrets, facts(with("bench", "other")).secrets);
  EXPECT_NE(facts(config).secrets, facts(with("three", "four")).secrets);
}

TEST_F(YamlJudgeTest, KnowsWhichChangesNeedAReboot) {
  const Digest before = facts(config).needs_reboot;
  EXPECT_EQ(facts(with("bench", "other")).needs_reboot, before);
  EXPECT_EQ(facts(with("/dev/sda", "/dev/sdb")).needs_reboot, before);
  EXPECT_EQ(facts(with("    install:", "    nodeLabels: {a: b}\n    install:")).needs_reboot,
            before);
  EXPECT_NE(facts(with("    install:", "    env: {a: b}\n    install:")).needs_reboot, before);
  EXPECT_NE(facts(with("controlplane", "init")).needs_reboot, before);
}

TEST_F(YamlJudgeTest, AConfigWithoutMachineDocumentIsIncomplete) {
  const ConfigFacts& found = facts(
      "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\naddresses: [{address: 10.5.0.9/24}]\n");
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.static_address, IpAddress("10.5.0.9"));
}

TEST_F(YamlJudgeTest, ResolvesASelectorAgainstTheNodesOwnDisks) {
  const std::string selecting = with("{disk: /dev/sda}", "{diskSelector: {size: '>= 100GB'}}");
  EXPECT_EQ(facts(selecting).install_disk, "/dev/nvme0n1");
  NodeSpec other = spec;
  other.disks.pop_back();
  const ConfigJudgement& refused = judge.judge(selecting, other, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().text,
      "runtime configuration validation failed: 1 error occurred:\n\t* v1alpha1.Config: 1 error "
      "occurred:\n\t* no disks matched the expression: disk.size >= 100000000000u && "
      "disk.transport != \"\" && !disk.readonly && !disk.cdrom\n\n\n\n");
  EXPECT_TRUE(judge.judge(selecting, other, false));  // an installed node does not ask
}

TEST_F(YamlJudgeTest, RefusesAKubernetesThatThisTalosCannotRun) {
  const std::string dated = with(
      "    install:", "    kubelet: {image: 'ghcr.io/siderolabs/kubelet:v1.29.0'}\n    install:");
  spec.personality = Personality::v1_13;
  const ConfigJudgement& refused = judge.judge(dated, spec, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().text,
      "1 error occurred:\n\t* v1alpha1.Config: 1 error occurred:\n\t* kubelet image is not valid: "
      "version of Kubernetes 1.29.0 is too old to be used with Talos 1.13.9\n\n\n\n");
}

TEST_F(YamlJudgeTest, NewerKindsAreStrangersToAnOlderTalos) {
  const std::string newer =
      config + "---\napiVersion: v1alpha1\nkind: KubeSpanConfig\nenabled: true\n";
  spec.personality = Personality::v1_13;
  EXPECT_TRUE(judge.judge(newer, spec, true));
  spec.personality = Personality::v1_12;
  const ConfigJudgement& refused = judge.judge(newer, spec, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text,
            "failed to parse config: error decoding document v1alpha1/KubeSpanConfig/ (line 13): "
            "\"KubeSpanConfig\" \"v1alpha1\": not registered");
}

TEST_F(YamlJudgeTest, BrokenYamlIsADecodeError) {
  for (const char* broken : {"machine:\n  a: b\n c: d\n", "machine:\n\ttype: worker\n", "a: [\n"}) {
    const ConfigJudgement& refused = judge.judge(broken, spec, false);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text, StartsWith("decode error: yaml: line "));
  }
}

TEST_F(YamlJudgeTest, ServesARealNode) {
  Bench bench;
  NodeSpec machine = bench.spec("cp1");
  Node node(bench.clock, bench.random, bench.fabric, judge, machine);
  node.power_on();
  ASSERT_TRUE(bench.run_to(node, Stage::maintenance));
  const auto refused = node.apply(Bench::insecure, "foo: bar\n", Node::ApplyMode::automatic, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unknown);
  ASSERT_TRUE(node.apply(Bench::insecure, config, Node::ApplyMode::automatic, false));
  ASSERT_TRUE(bench.run_to([&] { return node.kubelet_running(); }));
  EXPECT_THAT(node.hostname().value(), StartsWith("talos-"));
}

// Expressions as printed by the real CEL printer of machinery 1.12.6 for these selectors.
TEST(DiskSelectorTest, PrintsTheExpressionTalosPrints) {
  const std::pair<const char*, const char*> rows[] = {
      {"{size: '>= 100GB'}",
       "disk.size >= 100000000000u && disk.transport != \"\" && !disk.readonly && !disk.cdrom"},
      {"{size: '<= 2TiB', model: 'QEMU*', serial: abc, type: ssd, busPath: '/pci*'}",
       "disk.size <= 2199023255552u && glob(\"QEMU*\", disk.model) && glob(\"abc\", disk.serial) "
       "&&\ndisk.transport != \"\" && !disk.rotational && glob(\"/pci*\", disk.bus_path) "
       "&&\n!disk.readonly && !disk.cdrom"},
      {"{type: nvme}",
       "disk.transport != \"\" && disk.transport == \"nvme\" && !disk.readonly && !disk.cdrom"},
      {"{size: 4096, wwid: 'naa.5000c500a0b1c2d3', uuid: '6b6f6f6e-0000-0000-0000-000000000001', "
       "modalias: x, type: hdd}",
       "disk.size == 4096u && glob(\"6b6f6f6e-0000-0000-0000-000000000001\", disk.uuid) "
       "&&\nglob(\"naa.5000c500a0b1c2d3\", disk.wwid) && glob(\"x\", disk.modalias) && "
       "disk.transport "
       "!= \"\" &&\ndisk.rotational && !disk.readonly && !disk.cdrom"},
      {"{size: '< 1.5 TB', type: sd}",
       "disk.size < 1500000000000u && disk.transport != \"\" && disk.transport == \"mmc\" "
       "&&\n!disk.readonly && !disk.cdrom"},
  };
  for (const auto& [selector, expression] : rows) {
    const auto document = yaml::parse_single(selector, "selector");
    ASSERT_TRUE(document);
    const auto read = DiskSelector::read(document->root);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->expression(), expression);
  }
}

TEST(DiskSelectorTest, OnlyAStarIsSpecialInAPattern) {
  EXPECT_TRUE(matches_glob("QEMU*", "QEMU HARDDISK"));
  EXPECT_TRUE(matches_glob("*DISK", "QEMU HARDDISK"));
  EXPECT_TRUE(matches_glob("Q*H*K", "QEMU HARDDISK"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_FALSE(matches_glob("QEMU", "QEMU HARDDISK"));
  EXPECT_FALSE(matches_glob("Q?MU", "QEMU"));
  EXPECT_FALSE(matches_glob("a*a", "a"));
  EXPECT_FALSE(matches_glob("[a-z]", "b"));
}

}  // namespace
}  // namespace ichor::sim
