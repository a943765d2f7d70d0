#include "machineconfig/typed_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machineconfig/generate.h"
#include "machineconfig/validate/validate.h"
#include "secrets/secrets_bundle.h"
#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ClusterProfile profile_of(int contract) {
  ClusterProfile profile;
  profile.name = "infra";
  profile.network.api_endpoint = "https://192.168.22.100:6443";
  profile.network.node_cidr = "192.168.20.0/22";
  profile.network.pod_cidr = "10.42.0.0/16";
  profile.network.service_cidr = "10.43.0.0/16";
  profile.network.ntp = {"time.cloudflare.com"};
  profile.talos.version = {1, 14, 1};
  profile.talos.contract = {1, contract, 0};
  profile.talos.kubernetes_version = "v1.36.3";
  profile.talos.schematic_id = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  for (const Role role : {Role::control_plane, Role::worker}) {
    NodePlan node;
    node.name = NodeName(role == Role::control_plane ? "cp1" : "w1");
    node.role = role;
    node.address = IpAddress(role == Role::control_plane ? "192.168.22.101" : "192.168.22.111");
    node.interface = "eth0";
    node.disk = "/dev/sda";
    profile.nodes.push_back(std::move(node));
  }
  return profile;
}

pki::SecretsBundle secrets() { return pki::throw_away_secrets(WallTime{1790000000}, {1, 14, 0}); }

/// The config of one node with a patch for all; what Talos would refuse is a failure.
Result<std::string> config_of(Role role, const std::string& patch, int contract = 14) {
  const ClusterProfile profile = profile_of(contract);
  const NodePlan& node = profile.nodes[role == Role::control_plane ? 0 : 1];
  const auto config =
      generate(profile, secrets(), node, {*load_patch(patch, "old.yaml", schema_minor(profile))});
  if (!config) return forward_error(config);
  ValidateOptions options;
  options.minor = 14;
  for (const ConfigFinding& found : validate_config(config->bytes.reveal(), options)) {
    EXPECT_NE(found.severity, Severity::error) << found.what << "\n" << config->bytes.reveal();
  }
  return std::string(config->bytes.reveal());
}

constexpr const char* kOld = R"(machine:
  install: {wipe: true, image: factory.talos.dev/metal-installer/abc:v1.14.1}
  kubelet:
    extraArgs: {feature-gates: ImageVolume=true}
    nodeIP: {validSubnets: [192.168.20.0/22]}
  network:
    hostname: other
    nameservers: [1.1.1.1]
    disableSearchDomain: true
    interfaces: [{interface: lo, addresses: [169.254.116.108/32]}]
  features:
    stableHostname: true
    hostDNS: {enabled: true, forwardKubeDNSToHost: true, resolveMemberNames: true}
  time: {servers: [192.0.2.1]}
  sysctls: {net.core.somaxconn: "65535"}
  nodeLabels: {rack: a}
cluster:
  allowSchedulingOnControlPlanes: true
  network: {cni: {name: none}}
  proxy: {disabled: true}
  apiServer: {extraArgs: {enable-aggregator-routing: "true"}}
)";

TEST(TypedPatch, SectionsInTheOldFormReachBothRoles) {
  for (const Role role : {Role::control_plane, Role::worker}) {
    const auto config = config_of(role, kOld);
    ASSERT_TRUE(config.has_value()) << config.error().message;
    EXPECT_THAT(*config, HasSubstr("feature-gates: ImageVolume=true"));
    EXPECT_THAT(*config, HasSubstr("rack: a"));
    EXPECT_THAT(*config, HasSubstr("hostname: other"));
    EXPECT_THAT(*config, HasSubstr("resolveMemberNames: true"));
    EXPECT_THAT(*config, HasSubstr("disableDefault: true"));
    EXPECT_THAT(*config, HasSubstr("- 192.0.2.1\n"));
    EXPECT_THAT(*config, HasSubstr("wipe: true"));
    EXPECT_THAT(*config, HasSubstr("disk.dev_path == \"/dev/sda\"")) << "the disk stays selected";
    EXPECT_THAT(*config, Not(HasSubstr("KubeFlannelCNIConfig")));
    EXPECT_THAT(*config, Not(HasSubstr("control-plane: NoSchedule")));
    EXPECT_THAT(*config, HasSubstr("    sysctls:\n")) << "not in the way";
    EXPECT_THAT(*config, HasSubstr("- interface: lo\n")) << "not in the way";
  }
}

TEST(TypedPatch, WhatIsForControlPlanesDoesNothingOnAWorker) {
  const std::string patch =
      "cluster:\n  allowSchedulingOnControlPlanes: false\n  proxy: {disabled: true}\n"
      "  apiServer: {certSANs: [api.example.org]}\n";
  const auto worker = config_of(Role::worker, patch);
  ASSERT_TRUE(worker.has_value()) << worker.error().message;
  EXPECT_THAT(*worker, Not(HasSubstr("KubeProxyConfig")));
  EXPECT_THAT(*worker, Not(HasSubstr("NoSchedule")));
  const auto control_plane = config_of(Role::control_plane, patch);
  ASSERT_TRUE(control_plane.has_value()) << control_plane.error().message;
  EXPECT_THAT(*control_plane, HasSubstr("kind: KubeProxyConfig\nenabled: false\n"));
  EXPECT_THAT(*control_plane, HasSubstr("api.example.org"));
}

TEST(TypedPatch, ADocumentOfTheUserIsNotHeldBack) {
  const ClusterProfile profile = profile_of(14);
  const auto config = generate(
      profile, secrets(), profile.nodes[1],
      {*load_patch("apiVersion: v1alpha1\nkind: KubeProxyConfig\nenabled: false\n", "p", 14)});
  ASSERT_TRUE(config.has_value());
  EXPECT_THAT(std::string(config->bytes.reveal()), HasSubstr("kind: KubeProxyConfig"));
}

TEST(TypedPatch, ADeletionOfASectionDeletesItsDocument) {
  const auto config = config_of(Role::control_plane,
                                "cluster:\n  apiServer: {admissionControl: {$patch: delete}}\n  "
                                "discovery: {$patch: delete}\n");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_THAT(*config, Not(HasSubstr("KubeAdmissionControlConfig")));
  EXPECT_THAT(*config, Not(HasSubstr("DiscoveryServiceConfig")));
}

TEST(TypedPatch, WhatHasNoTypedFormIsRefusedWithPlaceAndFix) {
  const auto config = config_of(Role::worker,
                                "machine:\n  kubelet:\n    extraMounts: [{destination: /x, type: "
                                "bind, source: /x, options: [bind]}]\n");
  ASSERT_FALSE(config.has_value());
  EXPECT_THAT(config.error().message, HasSubstr("old.yaml:3:"));
  EXPECT_THAT(config.error().message, HasSubstr("UserVolumeConfig"));
}

TEST(TypedPatch, AContractWithoutDocumentsTakesThePatchAsItIs) {
  const auto config = config_of(Role::worker, "machine: {nodeLabels: {rack: a}}\n", 13);
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_THAT(*config, HasSubstr("    nodeLabels:\n        rack: a\n"));
}

TEST(TypedPatch, OnlyWhatIsInTheWayIsNamed) {
  const Patch patch = *load_patch(kOld, "old.yaml", 14);
  const auto typed = typed_patch(patch, {"ResolverConfig", "KubeletConfig"});
  ASSERT_TRUE(typed.has_value());
  EXPECT_THAT(typed->unproved, IsEmpty());
  std::vector<std::string> paths;
  for (const OldSection& section : typed->sections) paths.push_back(section.path);
  EXPECT_THAT(paths,
              ElementsAre("machine.kubelet", "machine.network.nameservers",
                          "machine.network.disableSearchDomain", "machine.features.hostDNS"));
  EXPECT_EQ(typed->sections[0].at.line, 4);
  EXPECT_TRUE(typed_patch(patch, {})->sections.empty());
}

TEST(TypedPatch, WhatADocumentWouldReplaceInsteadOfMergeIsNotConverted) {
  for (const char* text :
       {"machine: {install: {disk: /dev/sdb}}\n",
        "machine: {install: {diskSelector: {size: '>= 100GB'}}}\n",
        "cluster: {discovery: {registries: {service: {disabled: true}}}}\n",
        "cluster: {apiServer: {authorizationConfig: [{type: Node, name: n}]}}\n"}) {
    const Patch patch = *load_patch(text, "old.yaml", 14);
    const auto typed = typed_patch(
        patch, {"UnattendedInstallConfig", "DiscoveryServiceConfig", "KubeAPIServerConfig"});
    ASSERT_TRUE(typed.has_value());
    EXPECT_FALSE(typed->unproved.empty()) << text;
  }
}

}  // namespace
}  // namespace ichor
