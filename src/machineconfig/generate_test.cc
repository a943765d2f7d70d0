#include "machineconfig/generate.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "machineconfig/canonical.h"
#include "machineconfig/gen_config.h"
#include "machineconfig/v1alpha1.h"
#include "machineconfig/validate/validate.h"
#include "secrets/digest.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

const pki::SecretsBundle& secrets() {
  static const pki::SecretsBundle bundle =
      *pki::read_secrets(read_file("tests/golden/gen-config/secrets.yaml"), "secrets.yaml");
  return bundle;
}

/// The input of `talosctl gen config demo https://192.168.22.100:6443`.
ClusterProfile plain_profile() {
  ClusterProfile profile;
  profile.name = "demo";
  profile.network.api_endpoint = "https://192.168.22.100:6443";
  profile.talos.version = {1, 12, 6};
  profile.talos.contract = {1, 12, 0};
  profile.talos.kubernetes_version = "1.35.2";
  return profile;
}

NodePlan plain_node(Role role) {
  NodePlan node;
  node.name = NodeName("n1");
  node.role = role;
  node.disk = "/dev/sda";
  return node;
}

ClusterProfile reference_profile() {
  ClusterProfile profile = plain_profile();
  profile.network.node_cidr = "192.168.20.0/22";
  profile.network.gateway = "192.168.23.254";
  profile.network.pod_cidr = "10.42.0.0/16";
  profile.network.service_cidr = "10.43.0.0/16";
  profile.network.vip = "192.168.22.100";
  profile.network.nameservers = {"1.1.1.1", "9.9.9.9"};
  profile.network.ntp = {"time.cloudflare.com"};
  profile.talos.schematic_id = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  for (int i = 1; i <= 3; ++i) {
    for (const Role role : {Role::control_plane, Role::worker}) {
      NodePlan node;
      const bool cp = role == Role::control_plane;
      node.name = NodeName((cp ? "cp" : "w") + std::to_string(i));
      node.role = role;
      node.address = IpAddress("192.168.22." + std::to_string((cp ? 100 : 110) + i));
      node.interface = "eth0";
      node.disk = "/dev/sda";
      profile.nodes.push_back(node);
    }
  }
  return profile;
}

/// Kind and content of the documents behind the first one.
std::vector<std::string> extra_documents(const ClusterProfile& profile, const NodePlan& node) {
  const auto documents = generate_documents(profile, secrets(), node);
  EXPECT_TRUE(documents.has_value()) << documents.error().message;
  std::vector<std::string> texts;
  if (!documents) return texts;
  for (std::size_t i = 1; i < documents->size(); ++i) {
    std::string text = yaml::emit((*documents)[i]);
    const std::string head = "apiVersion: v1alpha1\nkind: ";
    EXPECT_TRUE(text.starts_with(head)) << text;
    texts.push_back(text.substr(head.size()));
  }
  return texts;
}

std::string main_document(const ClusterProfile& profile, const NodePlan& node) {
  const auto documents = generate_documents(profile, secrets(), node);
  EXPECT_TRUE(documents.has_value()) << documents.error().message;
  return documents ? yaml::emit(documents->front()) : "";
}

std::string first_document(const std::string& text) { return text.substr(0, text.find("---\n")); }

TEST(Generate, TheMainDocumentHasTheBytesOfTalosctl) {
  const ClusterProfile profile = plain_profile();
  EXPECT_EQ(main_document(profile, plain_node(Role::control_plane)),
            first_document(read_file("tests/golden/gen-config/controlplane.yaml")));
  EXPECT_EQ(main_document(profile, plain_node(Role::worker)),
            first_document(read_file("tests/golden/gen-config/worker.yaml")));
}

TEST(Generate, ContractsUpTo111DifferAsRecorded) {
  ClusterProfile profile = plain_profile();
  for (const int minor : {8, 9, 10, 11}) {
    profile.talos.contract = {1, minor, 0};
    for (const Role role : {Role::control_plane, Role::worker}) {
      std::string golden = read_file(std::string("tests/golden/gen-config/contract-1.8/") +
                                     (role == Role::worker ? "worker.yaml" : "controlplane.yaml"));
      const std::string network = "    network: {}\n";
      golden.replace(golden.find(network), network.size(), "    network:\n        hostname: n1\n");
      EXPECT_EQ(main_document(profile, plain_node(role)), golden) << minor;
    }
  }
}

TEST(Generate, Contract113HasNoEmptyNetwork) {
  ClusterProfile profile = plain_profile();
  profile.talos.contract = {1, 13, 0};
  EXPECT_THAT(main_document(profile, plain_node(Role::worker)),
              Not(HasSubstr("    network: {}\n")));
}

TEST(Generate, Contract114HasTheBytesOfTalosctl) {
  const auto contract = find_contract({1, 14, 1});
  ASSERT_TRUE(contract.has_value());
  for (const Role role : {Role::control_plane, Role::worker}) {
    GenerateInput input;
    input.role = role;
    input.cluster_name = "demo";
    input.endpoint = "https://192.168.22.100:6443";
    input.kubernetes_version = contract->release.kubernetes_version;
    input.install_disk = "/dev/sda";
    input.install_image = contract->release.installer_image;
    const auto documents = role_documents(*contract, input, secrets());
    ASSERT_TRUE(documents.has_value());
    EXPECT_EQ(yaml::emit_all(*documents),
              read_file(std::string("tests/golden/gen-config/contract-1.14/") +
                        (role == Role::worker ? "worker.yaml" : "controlplane.yaml")));
  }
}

TEST(Generate, Contract114SaysWhatAProfileSaysInDocuments) {
  ClusterProfile profile = reference_profile();
  profile.talos.version = {1, 14, 1};
  profile.talos.contract = {1, 14, 0};
  profile.talos.cni_none = true;
  NodePlan node = *profile.find(NodeName("cp1"));
  node.disk = "";
  node.disk_selector.size = ">= 100GB";
  node.disk_selector.type = "nvme";
  node.labels = {{"zone", "a"}};
  node.taints = {{"key", "value", "NoExecute"}};
  const std::vector<std::string> documents = extra_documents(profile, node);
  EXPECT_THAT(documents, Contains(HasSubstr("ResolverConfig\nnameservers:\n    - address: 1.1.1.1\n"
                                            "    - address: 9.9.9.9\nhostDNS:\n")));
  EXPECT_THAT(documents,
              Contains(AllOf(HasSubstr("UnattendedInstallConfig"),
                             HasSubstr("factory.talos.dev/metal-installer/3765"),
                             HasSubstr("disk.size >= 100000000000u && disk.transport != \"\" && "
                                       "disk.transport == \"nvme\""))));
  EXPECT_THAT(documents, Contains(AllOf(HasSubstr("KubeNodeConfig"), HasSubstr("    zone: a\n"),
                                        HasSubstr("    key: value:NoExecute\n"),
                                        HasSubstr("        - 192.168.20.0/22\n"))));
  EXPECT_THAT(documents, Contains("Layer2VIPConfig\nname: 192.168.22.100\nlink: eth0\n"));
  EXPECT_THAT(documents, Not(Contains(HasSubstr("KubeFlannelCNIConfig"))));
  std::string text = main_document(profile, node);
  for (const std::string& document : documents) {
    text += "---\napiVersion: v1alpha1\nkind: " + document;
  }
  for (const ConfigFinding& finding : validate_config(text, {})) {
    EXPECT_NE(finding.severity, Severity::error) << finding.what;
  }
}

TEST(Generate, AControlPlaneGetsItsPlaceInTheNetwork) {
  const ClusterProfile profile = reference_profile();
  EXPECT_THAT(
      extra_documents(profile, *profile.find(NodeName("cp1"))),
      ElementsAre("HostnameConfig\nauto: \"off\"\nhostname: cp1\n",
                  "LinkConfig\nname: eth0\nup: true\naddresses:\n    - address: 192.168.22.101/22\n"
                  "routes:\n    - gateway: 192.168.23.254\n",
                  "Layer2VIPConfig\nname: 192.168.22.100\nlink: eth0\n",
                  "ResolverConfig\nnameservers:\n    - address: 1.1.1.1\n    - address: 9.9.9.9\n",
                  "TimeSyncConfig\nntp:\n    servers:\n        - time.cloudflare.com\n"));
}

TEST(Generate, AWorkerHasNoVipAndNoKeys) {
  const ClusterProfile profile = reference_profile();
  const NodePlan& worker = *profile.find(NodeName("w2"));
  for (const std::string& text : extra_documents(profile, worker)) {
    EXPECT_THAT(text, Not(HasSubstr("Layer2VIPConfig")));
  }
  const auto config = generate(profile, secrets(), worker);
  ASSERT_TRUE(config.has_value());
  const std::string text(config->bytes.reveal());
  EXPECT_THAT(text, HasSubstr("key: \"\"\n"));
  for (const char* absent : {"etcd:", "aggregatorCA", "serviceAccount", "secretbox"}) {
    EXPECT_THAT(text, Not(HasSubstr(absent)));
  }
}

TEST(Generate, TheProfileReachesMachineAndCluster) {
  ClusterProfile profile = reference_profile();
  profile.talos.cni_none = true;
  profile.talos.allow_scheduling_on_control_planes = true;
  NodePlan node = *profile.find(NodeName("cp2"));
  node.labels = {{"zone", "a"}};
  node.taints = {{"dedicated", "infra", "NoSchedule"}, {"bare", "", "NoExecute"}};
  node.disk_selector.size = ">= 100GB";
  node.disk_selector.type = "nvme";
  const std::string text = main_document(profile, node);
  EXPECT_THAT(text, HasSubstr("        nodeIP:\n            validSubnets:\n"
                              "                - 192.168.20.0/22\n"));
  EXPECT_THAT(
      text,
      HasSubstr("    install:\n        diskSelector:\n            size: '>= 100GB'\n"
                "            type: nvme\n        image: factory.talos.dev/installer/"
                "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.12.6\n"));
  EXPECT_THAT(text,
              HasSubstr("    nodeLabels:\n"
                        "        node.kubernetes.io/exclude-from-external-load-balancers: \"\"\n"
                        "        zone: a\n"
                        "    nodeTaints:\n        bare: NoExecute\n"
                        "        dedicated: infra:NoSchedule\n"));
  EXPECT_THAT(text, HasSubstr("    network:\n        cni:\n            name: none\n"
                              "        dnsDomain: cluster.local\n        podSubnets:\n"
                              "            - 10.42.0.0/16\n        serviceSubnets:\n"
                              "            - 10.43.0.0/16\n"));
  EXPECT_THAT(text, HasSubstr("    allowSchedulingOnControlPlanes: true\n"));
}

TEST(Generate, InstallerImages) {
  ClusterProfile profile = reference_profile();
  NodePlan node = profile.nodes.front();
  profile.talos.secure_boot = true;
  node.schematic = "abc";
  EXPECT_THAT(main_document(profile, node),
              HasSubstr("image: factory.talos.dev/installer-secureboot/abc:v1.12.6\n"));
  profile.talos.installer_image = "registry.local/installer:v1";
  EXPECT_THAT(main_document(profile, node), HasSubstr("image: registry.local/installer:v1\n"));
}

TEST(Generate, ALinkCanBeKnownByItsMac) {
  ClusterProfile profile = reference_profile();
  NodePlan node = *profile.find(NodeName("w1"));
  node.interface = "";
  node.mac = MacAddress("52:54:00:aa:bb:01");
  const auto documents = extra_documents(profile, node);
  EXPECT_EQ(documents[1],
            "LinkAliasConfig\nname: net0\nselector:\n"
            "    match: mac(link.permanent_addr) == \"52:54:00:aa:bb:01\"\n");
  EXPECT_THAT(documents[2], HasSubstr("LinkConfig\nname: net0\n"));
}

TEST(Generate, ATagOfTheNodeMakesAVlanLink) {
  ClusterProfile profile = reference_profile();
  profile.network.vlan = 20;
  const NodePlan& node = *profile.find(NodeName("cp1"));
  for (const std::string& text : extra_documents(profile, node)) {
    EXPECT_THAT(text, Not(HasSubstr("VLANConfig"))) << "the hypervisor tags";
  }
  profile.network.vlan_tagged_by_node = true;
  const auto documents = extra_documents(profile, node);
  EXPECT_EQ(documents[1], "LinkConfig\nname: eth0\nup: true\n");
  EXPECT_THAT(documents[2],
              HasSubstr("VLANConfig\nname: eth0.20\nvlanID: 20\nparent: eth0\nup: true\n"
                        "addresses:\n    - address: 192.168.22.101/22\n"));
  EXPECT_EQ(documents[3], "Layer2VIPConfig\nname: 192.168.22.100\nlink: eth0.20\n");
}

TEST(Generate, AnUnknownLinkIsLeftToDhcpUnlessTheNodeMustMove) {
  ClusterProfile profile = reference_profile();
  NodePlan node = *profile.find(NodeName("w1"));
  node.interface = "";
  for (const std::string& text : extra_documents(profile, node)) {
    EXPECT_THAT(text, Not(HasSubstr("LinkConfig")));
  }
  node.maintenance_address = IpAddress("192.168.21.50");
  const auto refused = generate(profile, secrets(), node);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(
      refused.error().message,
      "w1 must move from 192.168.21.50 to 192.168.22.111, but neither its interface nor its MAC "
      "is set");
}

TEST(Generate, TheOldNetworkCarriesTheSame) {
  ClusterProfile profile = reference_profile();
  profile.talos.contract = {1, 11, 0};
  EXPECT_THAT(main_document(profile, *profile.find(NodeName("cp1"))),
              HasSubstr("    network:\n"
                        "        hostname: cp1\n"
                        "        interfaces:\n"
                        "            - interface: eth0\n"
                        "              addresses:\n"
                        "                - 192.168.22.101/22\n"
                        "              routes:\n"
                        "                - network: 0.0.0.0/0\n"
                        "                  gateway: 192.168.23.254\n"
                        "              dhcp: false\n"
                        "              vip:\n"
                        "                ip: 192.168.22.100\n"
                        "        nameservers:\n"
                        "            - 1.1.1.1\n"
                        "            - 9.9.9.9\n"));
}

TEST(Generate, SameInputsGiveTheSameBytes) {
  const ClusterProfile profile = reference_profile();
  const auto once = generate_all(profile, secrets());
  const auto again = generate_all(profile, secrets());
  ASSERT_TRUE(once.has_value());
  ASSERT_EQ(once->nodes.size(), 6u);
  EXPECT_EQ(once->plan, again->plan);
  EXPECT_EQ(once->secrets_fingerprint, pki::fingerprint_of(secrets()));
  for (const auto& [name, config] : once->nodes) {
    EXPECT_EQ(config.digest, again->nodes.at(name).digest);
    EXPECT_EQ(config.digest, pki::sha256(config.bytes.reveal()));
    EXPECT_EQ(config.canonical, *canonical_digest(config.bytes.reveal()));
  }
}

TEST(Generate, ThePlanChangesWithWhatTheOperatorDecides) {
  ClusterProfile profile = reference_profile();
  const Digest before = generate_all(profile, secrets())->plan;
  profile.retry.retries = 9;
  EXPECT_EQ(generate_all(profile, secrets())->plan, before);
  profile.nodes[0].maintenance_address = IpAddress("192.168.21.7");
  EXPECT_NE(generate_all(profile, secrets())->plan, before);
}

TEST(Generate, RefusesPatchesInsteadOfLeavingThemOut) {
  ClusterProfile profile = reference_profile();
  profile.nodes[1].patches = {"p.yaml"};
  EXPECT_EQ(generate_all(profile, secrets()).error().message, "w1: its patches were not read");
}

TEST(Generate, PatchesTakeEffectInTheOrderAllRoleNode) {
  const ClusterProfile profile = reference_profile();
  const auto patch = [](const std::string& value) {
    return *load_patch("machine: {sysctls: {who: " + value + ", " + value + ": yes}}", value);
  };
  ProfilePatches patches;
  patches.nodes[NodeName("cp1")].push_back(patch("node"));
  patches.control_plane.push_back(patch("role"));
  patches.all.push_back(patch("all"));
  const auto sysctls = [&](const char* name) {
    const auto set = generate_all(profile, secrets(), patches);
    const std::string text(set->nodes.at(NodeName(name)).bytes.reveal());
    const std::size_t from = text.find("    sysctls:\n");
    return text.substr(from, text.find("    features:\n") - from);
  };
  EXPECT_EQ(sysctls("cp1"),
            "    sysctls:\n        all: \"yes\"\n        node: \"yes\"\n        role: \"yes\"\n"
            "        who: node\n");
  EXPECT_THAT(sysctls("cp2"), HasSubstr("who: role\n"));
  EXPECT_THAT(sysctls("w1"), HasSubstr("who: all\n"));
}

TEST(Generate, PatchesAreCheckedWithoutSecrets) {
  const ClusterProfile profile = reference_profile();
  ProfilePatches patches;
  patches.all.push_back(*load_patch("machine: {token: abc}", "token.yaml"));
  patches.worker.push_back(
      *load_patch("cluster: {network: {dnsDomain: cluster.local}}", "idle.yaml"));
  patches.nodes[NodeName("cp1")].push_back(
      *load_patch("machine: {nodeLabels: {x: {$patch: delete}}}", "gone.yaml"));
  const auto findings = check_patches(profile, patches);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].id, "patch.apply");
  EXPECT_EQ(findings[0].node, NodeName("cp1"));
  EXPECT_THAT(findings[0].what, HasSubstr("gone.yaml:1:"));
  EXPECT_EQ(findings[1].id, "patch.secrets");
  EXPECT_EQ(findings[1].where, "token.yaml");
  EXPECT_EQ(findings[1].severity, Severity::error);
  EXPECT_EQ(findings[2].id, "patch.no-change");
  EXPECT_EQ(findings[2].where, "idle.yaml");
  EXPECT_EQ(findings[2].severity, Severity::warning);
}

TEST(Generate, RefusesAnUnknownContractByNode) {
  ClusterProfile profile = reference_profile();
  profile.talos.contract = {1, 7, 0};
  EXPECT_EQ(generate_all(profile, secrets()).error().message,
            "cp1: no contract for Talos 1.7; known are 1.8 to 1.14");
}

TEST(CanonicalDigest, IgnoresFormAndNotMeaning) {
  const auto digest = [](std::string_view text) { return *canonical_digest(text); };
  const Digest base = digest("machine:\n  type: worker\n  port: 16\n---\nkind: A\nname: x\n");
  EXPECT_EQ(base,
            digest("name: \"x\"\nkind: 'A'\n---\n# note\nmachine: {port: 0x10, type: worker}\n"));
  EXPECT_NE(base, digest("machine:\n  type: worker\n  port: \"16\"\n---\nkind: A\nname: x\n"));
  EXPECT_NE(base, digest("machine:\n  type: worker\n  port: 17\n---\nkind: A\nname: x\n"));
  EXPECT_NE(base, digest("machine:\n  type: worker\n  port: 16\n"));
  EXPECT_NE(digest("a: [x, y]"), digest("a: [y, x]"));
  EXPECT_NE(digest("a: ''"), digest("a:"));
  EXPECT_FALSE(canonical_digest("a: [").has_value());
}

}  // namespace
}  // namespace ichor
