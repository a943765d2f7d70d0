#include "machineconfig/patch/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kBase =
    "version: v1alpha1\n"
    "machine:\n"
    "    type: worker\n"
    "    token: \"\"\n"
    "    certSANs:\n"
    "        - one\n"
    "    network:\n"
    "        interfaces:\n"
    "            - interface: eth0\n"
    "              addresses:\n"
    "                - 10.0.0.1/24\n"
    "              mtu: 1500\n"
    "    sysctls:\n"
    "        a: \"1\"\n"
    "cluster: null\n";
constexpr std::string_view kHostname = "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n";

std::vector<yaml::Node> roots(std::string_view text) {
  std::vector<yaml::Node> result;
  auto documents = yaml::parse(text, "c.yaml");
  for (yaml::Document& document : *documents) {
    result.push_back(std::move(document.root));
  }
  return result;
}

/// The patched config, or what is wrong.
std::string patched(std::string_view base, std::string_view patch,
                    std::vector<std::string>* findings = nullptr) {
  const auto loaded = load_patch(patch, "p.yaml");
  if (!loaded) return loaded.error().message;
  auto result = apply_patches(roots(base), "c.yaml", {*loaded});
  if (!result) return result.error().message;
  if (findings != nullptr) {
    for (const Finding& finding : result->findings) findings->push_back(finding.id);
  }
  return yaml::emit_all(result->documents);
}

/// The same by the rules of Talos 1.14.
std::string patched_14(std::string_view base, std::string_view patch) {
  const auto loaded = load_patch(patch, "p.yaml", 14);
  if (!loaded) return loaded.error().message;
  auto result = apply_patches(roots(base), "c.yaml", {*loaded}, 14);
  return result ? yaml::emit_all(result->documents) : result.error().message;
}

TEST(Patch, AllConflictsOfTheResultAreNamedWithTheirFix) {
  const std::string kind = "apiVersion: v1alpha1\nkind: ";
  const std::string said =
      patched_14(kind + "LinkConfig\nname: a\n---\n" + kind + "UserVolumeConfig\nname: v\n",
                 kind + "BondConfig\nname: a\n---\n" + kind + "ExistingVolumeConfig\nname: v\n");
  EXPECT_THAT(said, HasSubstr("BondConfig a conflicts with LinkConfig a"));
  EXPECT_THAT(said, HasSubstr("ExistingVolumeConfig v conflicts with UserVolumeConfig v"));
  EXPECT_THAT(said, HasSubstr("; keep one of them"));
}

TEST(Patch, Talos114LetsAPatchRepeatADocumentAndDeleteAnAbsentOne) {
  const std::string node = "apiVersion: v1alpha1\nkind: KubeNodeConfig\n";
  const std::string twice = node + "labels: {a: b}\n---\n" + node + "labels: {a: c}\n";
  EXPECT_THAT(patched_14(kHostname, twice), HasSubstr("labels:\n    a: c\n"));
  EXPECT_THAT(patched(kHostname, twice), HasSubstr("exists since Talos 1.14"));
  EXPECT_EQ(patched_14(kHostname, node + "$patch: delete\n"), kHostname);
  EXPECT_EQ(patched_14(kHostname,
                       node + "$patch: delete\n---\n" + node + "---\n" + node + "$patch: delete\n"),
            kHostname);
  const std::string hostname = "apiVersion: v1alpha1\nkind: LinkConfig\nname: a\n$patch: delete\n";
  EXPECT_THAT(patched(kHostname, hostname), HasSubstr("there is no LinkConfig a"));
}

TEST(Patch, Talos114ReplacesSearchDomainsAndRulesOfImages) {
  const std::string resolver =
      "apiVersion: v1alpha1\nkind: ResolverConfig\nsearchDomains:\n    domains:\n        - a\n";
  const std::string patch =
      "apiVersion: v1alpha1\nkind: ResolverConfig\nsearchDomains: {domains: [b]}";
  EXPECT_THAT(patched_14(resolver, patch), HasSubstr("domains:\n        - b\n"));
  EXPECT_THAT(patched(resolver, patch), HasSubstr("domains:\n        - a\n        - b\n"));
  const std::string rules =
      "apiVersion: v1alpha1\nkind: ImageVerificationConfig\nrules:\n    - image: a\n      skip: "
      "true\n";
  EXPECT_EQ(patched_14(rules,
                       "apiVersion: v1alpha1\nkind: ImageVerificationConfig\n"
                       "rules: [{image: a, deny: true}, {image: b, skip: true}]"),
            "apiVersion: v1alpha1\nkind: ImageVerificationConfig\nrules:\n    - image: a\n"
            "      deny: true\n    - image: b\n      skip: true\n");
}

TEST(Patch, TwoEndsOfAPairOfLinksAreClaimed) {
  const std::string pair = "apiVersion: v1alpha1\nkind: VethConfig\nname: a\npeer:\n    name: b\n";
  EXPECT_THAT(patched_14(pair, "apiVersion: v1alpha1\nkind: LinkConfig\nname: b\n"),
              HasSubstr("LinkConfig b conflicts with VethConfig a"));
}

TEST(Patch, ListsGrowAndInterfacesMergeByName) {
  const std::string text =
      patched(kBase,
              "machine:\n  certSANs: [two]\n  network:\n    interfaces:\n"
              "      - {interface: eth0, mtu: 9000, addresses: [10.0.0.2/24]}\n"
              "      - {interface: eth1, dhcp: true}\n");
  EXPECT_THAT(text, HasSubstr("        - one\n        - two\n"));
  EXPECT_THAT(text, HasSubstr("            - interface: eth0\n              addresses:\n"
                              "                - 10.0.0.1/24\n                - 10.0.0.2/24\n"
                              "              mtu: 9000\n            - interface: eth1\n"));
}

TEST(Patch, DocumentsAreMergedOrAdded) {
  const std::string both = std::string(kBase) + "---\n" + std::string(kHostname);
  EXPECT_THAT(patched(both, "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n"),
              HasSubstr("kind: HostnameConfig\nauto: stable\nhostname: a\n"));
  EXPECT_THAT(patched(kBase, kHostname), HasSubstr("---\napiVersion: v1alpha1\nkind: Hostname"));
}

TEST(Patch, DeletionsFindKeysItemsAndDocuments) {
  EXPECT_THAT(patched(kBase, "machine: {sysctls: {a: {$patch: delete}}}"),
              Not(HasSubstr("sysctls")));
  EXPECT_THAT(
      patched(kBase, "machine: {network: {interfaces: [{interface: eth0, $patch: delete}]}}"),
      HasSubstr("    network: {}\n"));
  const std::string both = std::string(kBase) + "---\n" + std::string(kHostname);
  EXPECT_EQ(patched(both, "apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete\n"), kBase);
  EXPECT_EQ(patched(kBase, "machine: {sysctls: {b: {$patch: delete}}}"),
            "p.yaml:1:24: machine.sysctls.b is not in the config's v1alpha1, so it cannot be "
            "deleted");
  EXPECT_EQ(patched(kBase, "apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete\n"),
            "p.yaml:1:1: there is no HostnameConfig to delete from");
  EXPECT_THAT(patched(kBase,
                      "machine: {network: {interfaces: [{interface: eth0,\n"
                      "  mtu: {$patch: delete}}]}}"),
              HasSubstr("p.yaml:2:8: machine.network.interfaces.[].mtu is inside a list item"));
}

TEST(Patch, WhatTalosResetsIsReset) {
  const std::string volume =
      "apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\nprovisioning:\n"
      "    diskSelector:\n        match: system_disk\n    maxSize: 10GB\n";
  const std::string text = patched(
      volume, "apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\nfilesystem: {type: ext4}");
  EXPECT_THAT(text, Not(HasSubstr("diskSelector"))) << "a selector is taken from the patch";
  EXPECT_THAT(text, HasSubstr("maxSize: 10GB"));
}

TEST(Patch, AListOfStepsIsJsonAndNeedsOneDocument) {
  const std::string steps =
      "- {op: replace, path: /cluster/network/podSubnets/0, value: 10.42.0.0/16}\n"
      "- {op: add, path: /machine/certSANs/-, value: two}\n"
      "- {op: remove, path: /machine/sysctls/a}\n"
      "- {op: remove, path: /machine/certSANs/0}\n";
  const std::string both = std::string(kBase) + "---\n" + std::string(kHostname);
  EXPECT_EQ(patched(both, steps),
            "p.yaml: JSON6902 patches cannot be used on a config of several documents; write it as "
            "a strategic merge patch:\n"
            "# remove /machine/certSANs/0 has no equivalent\n"
            "cluster:\n    network:\n        podSubnets:\n            - 10.42.0.0/16\n"
            "machine:\n    certSANs:\n        - two\n    sysctls:\n        a:\n"
            "            $patch: delete\n");
  EXPECT_THAT(patched(kBase, "[{\"op\": \"add\", \"path\": \"/machine/x\", \"value\": 1}]"),
              HasSubstr("    x: 1\n"));
}

TEST(Patch, AnEmptyPatchIsRefusedOnSeveralDocuments) {
  const std::string both = std::string(kBase) + "---\n" + std::string(kHostname);
  EXPECT_THAT(patched(both, ""), HasSubstr("the patch is empty"));
  std::vector<std::string> findings;
  EXPECT_EQ(patched(kBase, "", &findings), kBase);
  EXPECT_THAT(findings, ElementsAre("patch.no-change"));
}

TEST(Patch, ErrorsNameTheFileAndTheNearestKey) {
  EXPECT_EQ(patched(kBase, "machine:\n  sysctl: {a: b}\n"),
            "p.yaml:2:3: unknown key \"sysctl\" in machine; did you mean \"sysctls\"?");
  EXPECT_THAT(patched(kBase, "hello"), HasSubstr("a document must be a mapping"));
  EXPECT_THAT(patched("machine: {foo: 1}", "machine: {}"),
              HasSubstr("c.yaml:1:11: unknown key \"foo\" in machine"));
}

TEST(Patch, SecretsAreNoticed) {
  const auto touched = [](std::string_view text) {
    return touches_secrets(*load_patch(text, "p.yaml"));
  };
  EXPECT_THAT(touched("machine: {token: a, ca: {crt: Zm9v}}\ncluster: {etcd: {ca: {crt: Zm9v}}}"),
              ElementsAre("machine.token", "machine.ca", "cluster.etcd.ca"));
  EXPECT_THAT(touched("cluster: {$patch: delete}"), ElementsAre("cluster"));
  EXPECT_THAT(touched("- {op: remove, path: /cluster/ca/key}"), ElementsAre("cluster.ca.key"));
  EXPECT_THAT(touched("- {op: test, path: /cluster/ca/key, value: a}"), IsEmpty());
  EXPECT_THAT(touched("machine: {acceptedCAs: [{crt: Zm9v}], sysctls: {a: b}}"), IsEmpty());
  std::vector<std::string> findings;
  patched(kBase, "machine: {token: a}", &findings);
  EXPECT_THAT(findings, ElementsAre("patch.secrets"));
}

TEST(Patch, NothingIsChangedByWhatSaysNothing) {
  for (const char* text : {"machine: {}", "machine: {certSANs: []}", "machine: {network: null}",
                           "machine: {type: worker}", "machine: {sysctls: {a: ''}}"}) {
    std::vector<std::string> findings;
    EXPECT_EQ(patched(kBase, text, &findings), kBase) << text;
    EXPECT_THAT(findings, ElementsAre("patch.no-change")) << text;
  }
}

}  // namespace
}  // namespace ichor
