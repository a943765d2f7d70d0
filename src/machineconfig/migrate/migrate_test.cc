#include "machineconfig/migrate/migrate.h"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "machineconfig/contract.h"
#include "machineconfig/gen_config.h"
#include "machineconfig/patch/patch.h"
#include "machineconfig/validate/validate.h"
#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Migration migrated(const std::string& text, const MigrateOptions& options = {}) {
  auto result = migrate_config(text, "config.yaml", options);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result ? *std::move(result) : Migration{};
}

const yaml::Node* find(const Migration& migration, std::string_view kind,
                       std::string_view name = {}) {
  for (const yaml::Node& document : migration.documents) {
    const yaml::Node* own = document.find("kind");
    const yaml::Node* own_name = document.find("name");
    if (!own || own->text != kind) continue;
    if (name.empty() || (own_name && own_name->text == name)) return &document;
  }
  return nullptr;
}

std::string text_at(const yaml::Node* node, std::initializer_list<std::string_view> keys) {
  const yaml::Node* found = node ? node->find_path(keys) : nullptr;
  return found ? found->text : "(absent)";
}

std::string all_notes(const Migration& migration) {
  std::string text;
  for (const MigrationNote& note : migration.notes) {
    text += fmt::format("{} {}: {}; {}\n", name_of(note.severity), note.path, note.what, note.fix);
  }
  return text;
}

/// Errors that Talos 1.14 would give for the result.
std::vector<std::string> refusals(const Migration& migration) {
  ValidateOptions options;
  options.minor = 14;
  std::vector<std::string> errors;
  for (const ConfigFinding& found : validate_config(yaml::emit_all(migration.documents), options)) {
    if (found.severity == Severity::error) errors.push_back(found.what);
  }
  return errors;
}

constexpr std::string_view kNetwork = R"(machine:
  network:
    hostname: cp1
    nameservers: [1.1.1.1, 9.9.9.9]
    interfaces:
      - deviceSelector: {permanentAddr: "aa:bb:cc:dd:ee:01"}
        addresses: [192.0.2.10/24]
        routes: [{network: 0.0.0.0/0, gateway: 192.0.2.1, metric: 100}]
        vip: {ip: 192.0.2.100}
        vlans:
          - {vlanId: 30, addresses: [198.51.100.1/24], mtu: 1400}
      - interface: eth1
        dhcp: true
        dhcpOptions: {routeMetric: 2048}
    extraHostEntries: [{ip: 192.0.2.9, aliases: [nas, nas.lan]}]
)";

TEST(Migrate, AnInterfaceBecomesTheDocumentsOfItsParts) {
  const Migration result = migrated(std::string(kNetwork));
  EXPECT_THAT(result.unproved, IsEmpty());
  EXPECT_EQ(text_at(find(result, "LinkAliasConfig", "net0"), {"selector", "match"}),
            "mac(link.permanent_addr) == \"aa:bb:cc:dd:ee:01\"");
  const yaml::Node* link = find(result, "LinkConfig", "net0");
  ASSERT_TRUE(link);
  EXPECT_EQ(text_at(&link->find("addresses")->items[0], {"address"}), "192.0.2.10/24");
  EXPECT_EQ(text_at(&link->find("routes")->items[0], {"gateway"}), "192.0.2.1");
  EXPECT_EQ(text_at(&link->find("routes")->items[0], {"destination"}), "(absent)");
  EXPECT_EQ(text_at(find(result, "VLANConfig", "net0.30"), {"parent"}), "net0");
  EXPECT_EQ(text_at(find(result, "Layer2VIPConfig", "192.0.2.100"), {"link"}), "net0");
  EXPECT_EQ(text_at(find(result, "DHCPv4Config", "eth1"), {"routeMetric"}), "2048");
  EXPECT_EQ(text_at(find(result, "HostnameConfig"), {"hostname"}), "cp1");
  EXPECT_TRUE(find(result, "StaticHostConfig", "192.0.2.9"));
  EXPECT_FALSE(result.documents[0].find("machine")) << "nothing is left in the old form";
}

TEST(Migrate, APatchGetsWhatItSaysAndNoMore) {
  const Migration result = migrated(
      "machine:\n  kubelet:\n    extraArgs: {rotate-server-certificates: \"true\"}\n"
      "  sysctls: {net.core.somaxconn: \"65535\"}\n");
  EXPECT_TRUE(result.is_patch);
  EXPECT_THAT(result.unproved, IsEmpty());
  const yaml::Node* kubelet = find(result, "KubeletConfig");
  EXPECT_EQ(text_at(kubelet, {"extraArgs", "rotate-server-certificates"}), "true");
  EXPECT_EQ(text_at(kubelet, {"image"}), "(absent)");
  EXPECT_EQ(text_at(find(result, "SysctlConfig"), {"params", "net.core.somaxconn"}), "65535");
  EXPECT_EQ(result.documents.size(), 2u);
  EXPECT_TRUE(load_patch(yaml::emit_all(result.documents), "patch", 14).has_value());
}

TEST(Migrate, NoCniAndNoProxyBecomeADeletionAndASwitch) {
  const Migration result = migrated(
      "cluster:\n  network: {cni: {name: none}}\n  proxy: {disabled: true}\n"
      "  discovery: {enabled: false}\n");
  EXPECT_THAT(result.unproved, IsEmpty());
  EXPECT_EQ(text_at(find(result, "KubeFlannelCNIConfig"), {"$patch"}), "delete");
  EXPECT_EQ(text_at(find(result, "KubeProxyConfig"), {"enabled"}), "false");
  EXPECT_EQ(text_at(find(result, "DiscoveryServiceConfig", "default"), {"$patch"}), "delete");
  EXPECT_THAT(all_notes(result), HasSubstr("refused on workers"));
}

TEST(Migrate, SchedulingOnControlPlanesDeletesTheTaint) {
  const Migration result = migrated("cluster: {allowSchedulingOnControlPlanes: true}\n");
  EXPECT_THAT(result.unproved, IsEmpty());
  EXPECT_EQ(text_at(find(result, "KubeNodeConfig"),
                    {"taints", "node-role.kubernetes.io/control-plane", "$patch"}),
            "delete");
}

TEST(Migrate, ADeletionOfAdmissionControlIsThatOfItsDocument) {
  const Migration result =
      migrated("cluster:\n  apiServer:\n    admissionControl:\n      $patch: delete\n");
  EXPECT_EQ(text_at(find(result, "KubeAdmissionControlConfig", "PodSecurity"), {"$patch"}),
            "delete");
}

TEST(Migrate, WhatNoPatchCanSayIsAnError) {
  for (const char* patch :
       {"machine: {install: {extraKernelArgs: [console=ttyS0]}}\n",
        "machine:\n  kubelet:\n    extraMounts:\n"
        "      - {destination: /x, type: bind, source: /x, options: [bind]}\n",
        "cluster:\n  apiServer:\n    extraVolumes: [{hostPath: /a, mountPath: /b}]\n",
        "cluster:\n  apiServer:\n    extraArgs: {oidc-issuer-url: https://example.org}\n"}) {
    const Migration result = migrated(patch);
    ASSERT_FALSE(result.notes.empty()) << patch;
    EXPECT_EQ(result.notes[0].severity, Severity::error) << patch;
    EXPECT_FALSE(result.notes[0].fix.empty()) << patch;
  }
}

TEST(Migrate, WhatChangesAlthoughTheTextMeansTheSameIsAWarning) {
  const std::pair<const char*, const char*> kCases[] = {
      {"machine: {network: {searchDomains: [a.example]}}\n", "search domains of DHCP as well"},
      {"machine: {install: {image: 'ghcr.io/siderolabs/installer:v1.13.9'}}\n",
       "exist only in the Image Factory"},
      {"cluster: {allowSchedulingOnControlPlanes: true}\n", "deletes the taint"},
      {"cluster: {allowSchedulingOnControlPlanes: false}\n", "adds the taint to every node"},
      {"machine: {install: {disk: /dev/sda, grubUseUKICmdline: true}}\n",
       "always takes the kernel arguments of the image"},
      {"machine: {files: [{path: /etc/kubernetes/x, op: create, content: a}]}\n",
       "files below /etc/kubernetes have no typed form"},
      {"cluster: {apiServer: {admissionControl: {$patch: delete}}}\n", "not proved"},
  };
  for (const auto& [patch, said] : kCases) {
    const Migration result = migrated(patch);
    EXPECT_THAT(all_notes(result), HasSubstr(said)) << patch;
    EXPECT_THAT(result.unproved, IsEmpty()) << patch;
    for (const MigrationNote& note : result.notes) {
      EXPECT_EQ(note.severity, Severity::warning) << note.what;
      EXPECT_FALSE(note.fix.empty());
    }
  }
}

TEST(Migrate, TheRestOfAPatchWithADeletionIsProved) {
  const Migration result =
      migrated("machine: {sysctls: {a: b}}\n---\ncluster: {discovery: {$patch: delete}}\n");
  EXPECT_THAT(result.unproved, IsEmpty());
  EXPECT_EQ(text_at(find(result, "SysctlConfig"), {"params", "a"}), "b");
  EXPECT_EQ(text_at(find(result, "DiscoveryServiceConfig"), {"$patch"}), "delete");
}

TEST(Migrate, AnApiServerWithoutAuthorizersIsNamed) {
  const std::string half =
      "machine: {type: controlplane}\n---\napiVersion: v1alpha1\nkind: KubeAPIServerConfig\n"
      "image: registry.k8s.io/kube-apiserver:v1.36.1\n";
  EXPECT_THAT(all_notes(migrated(half)), HasSubstr("the config has no KubeAuthorizerConfig"));
  EXPECT_THAT(all_notes(migrated(half + "---\napiVersion: v1alpha1\nkind: KubeAuthorizerConfig\n"
                                        "name: rbac\ntype: RBAC\n")),
              Not(HasSubstr("the config has no KubeAuthorizerConfig")));
}

TEST(Migrate, AJsonPatchIsRefused) {
  const auto result = migrate_config("- op: add\n  path: /machine/x\n  value: 1\n", "p.yaml");
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("strategic merge patch"));
}

TEST(Migrate, AnUnknownKeyIsNamedWithItsPlace) {
  const auto result = migrate_config("machine:\n  kubelt: {}\n", "p.yaml");
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("p.yaml:2:3"));
}

struct Old {
  int minor;
  Role role;
};

/// Complete configs as `talosctl gen config` writes them for older releases.
class MigrateGenerated : public testing::TestWithParam<Old> {
 protected:
  static GenerateInput input() {
    GenerateInput input;
    input.cluster_name = "infra";
    input.endpoint = "https://192.0.2.100:6443";
    input.role = GetParam().role;
    input.kubernetes_version = "1.35.2";
    input.install_disk = "/dev/sda";
    input.install_image = "factory.talos.dev/metal-installer/abc:v1.13.9";
    input.dns_domain = "cluster.local";
    return input;
  }
  static std::string generated() {
    std::ifstream file("tests/golden/gen-config/secrets.yaml");
    std::stringstream text;
    text << file.rdbuf();
    const auto secrets = pki::read_secrets(text.str(), "secrets.yaml");
    const auto contract = find_contract({1, GetParam().minor, 0});
    const auto documents = role_documents(*contract, input(), *secrets);
    EXPECT_TRUE(documents.has_value());
    return yaml::emit_all(*documents);
  }
};

TEST_P(MigrateGenerated, MeansTheSameAndIsAcceptedByTalos114) {
  const Migration result = migrated(generated());
  EXPECT_FALSE(result.is_patch);
  EXPECT_THAT(result.unproved, IsEmpty());
  EXPECT_THAT(refusals(result), IsEmpty()) << yaml::emit_all(result.documents);
  EXPECT_FALSE(result.documents[0].find_path({"machine", "install"}));
  EXPECT_FALSE(result.documents[0].find_path({"machine", "kubelet"}));
  EXPECT_FALSE(result.documents[0].find_path({"cluster", "apiServer"}));
}

TEST_P(MigrateGenerated, ASecondMigrationChangesNothing) {
  const std::string once = yaml::emit_all(migrated(generated()).documents);
  EXPECT_EQ(yaml::emit_all(migrated(once).documents), once);
}

INSTANTIATE_TEST_SUITE_P(Contracts, MigrateGenerated,
                         testing::Values(Old{8, Role::control_plane}, Old{8, Role::worker},
                                         Old{11, Role::control_plane}, Old{12, Role::control_plane},
                                         Old{13, Role::control_plane}, Old{13, Role::worker}));

}  // namespace
}  // namespace ichor
