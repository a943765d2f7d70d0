#include "machineconfig/validate/validate.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machineconfig/validate/replaced.h"

namespace ichor {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A config and what is thought of it, as "line:column severity what; fix" lines.
class Config {
 public:
  explicit Config(std::string text) : text_(std::move(text)) {}

  Config& in(RuntimeMode mode) {
    options_.mode = mode;
    return *this;
  }
  Config& strictly() {
    options_.strict = true;
    return *this;
  }
  Config& of(int minor) {
    options_.minor = minor;
    return *this;
  }
  Config& with(std::string text) {
    text_ += text;
    return *this;
  }

  std::string findings() const {
    std::string all;
    for (const ConfigFinding& finding : validate_config(text_, options_)) {
      all += fmt::format("{}:{} {} {}; {}\n", finding.at.line, finding.at.column,
                         name_of(finding.severity), finding.what, finding.fix);
    }
    return all;
  }

 private:
  std::string text_;
  ValidateOptions options_;
};

Config worker(const std::string& machine = "", const std::string& cluster = "") {
  return Config("machine:\n  type: worker\n  ca: {crt: LS0t}\n  install: {disk: /dev/sda}\n" +
                machine + "cluster:\n  controlPlane: {endpoint: 'https://10.0.0.1:6443'}\n" +
                cluster);
}

Config control_plane(const std::string& machine = "", const std::string& cluster = "") {
  return Config(
      "machine:\n  type: controlplane\n  ca: {crt: LS0t, key: LS0t}\n  install: {disk: "
      "/dev/sda}\n" +
      machine + "cluster:\n  controlPlane: {endpoint: 'https://10.0.0.1:6443'}\n" + cluster);
}

TEST(Validate, ASmallConfigIsValid) {
  EXPECT_EQ(worker().findings(), "");
  EXPECT_EQ(control_plane().findings(), "");
  EXPECT_EQ(worker().in(RuntimeMode::cloud).findings(), "");
}

TEST(Validate, EveryFindingComesWithItsPlaceAndAFixInTheOrderOfTheFile) {
  const Config config(
      "machine:\n"
      "  type: controlplane\n"
      "  ca:\n"
      "    crt: LS0t\n"
      "  install: {}\n"
      "  nodeTaints:\n"
      "    a: Never\n"
      "cluster:\n"
      "  controlPlane:\n"
      "    endpoint: https://:6443\n");
  EXPECT_EQ(config.findings(),
            "4:5 error machine.ca.key is missing; a control plane signs certificates with it\n"
            "5:12 error machine.install names no disk; add `disk` or `diskSelector`\n"
            "7:8 error the taint `a` has an unknown effect; write VALUE:NoSchedule, "
            "VALUE:PreferNoSchedule or VALUE:NoExecute\n"
            "10:15 error the endpoint of the control plane names no host; write "
            "https://HOST:6443\n");
}

TEST(Validate, AnUnknownKeyComesWithTheNearestOne) {
  EXPECT_THAT(worker("  sysctl: {}\n").findings(), HasSubstr("did you mean \"sysctls\"?"));
  EXPECT_THAT(worker().with("---\napiVersion: v1alpha1\nkind: HostNameConfig\n").findings(),
              HasSubstr("did you mean \"HostnameConfig\"?"));
}

TEST(Validate, ModesAskForDifferentThings) {
  Config bare(
      "machine:\n  ca: {crt: LS0t}\n  type: worker\ncluster:\n  controlPlane: {endpoint: "
      "'https://x'}\n");
  EXPECT_EQ(bare.in(RuntimeMode::cloud).findings(), "");
  EXPECT_THAT(bare.in(RuntimeMode::metal).findings(), HasSubstr("machine.install is missing"));
  EXPECT_THAT(bare.in(RuntimeMode::container).findings(), HasSubstr("hostDNS must be enabled"));
  EXPECT_EQ(worker("  features: {hostDNS: {enabled: true, forwardKubeDNSToHost: true}}\n")
                .in(RuntimeMode::container)
                .findings(),
            "");
}

TEST(Validate, StrictlyWarningsOfTheOldDocumentAreErrorsAndOthersAreNot) {
  Config old = control_plane("", "  network: {cni: {name: custom}}\n");
  EXPECT_THAT(old.findings(), HasSubstr("warning the CNI custom has no urls"));
  EXPECT_THAT(old.strictly().findings(), HasSubstr("error the CNI custom has no urls"));
  Config bond(
      "apiVersion: v1alpha1\nkind: BondConfig\nname: bond0\nlinks: [a]\nbondMode: 802.3ad\n");
  EXPECT_THAT(bond.strictly().findings(),
              HasSubstr("warning miimon of an 802.3ad bond is missing"));
  EXPECT_THAT(bond.findings(), Not(HasSubstr("error")));
}

TEST(Validate, VersionsDiffer) {
  const std::string probe = "apiVersion: v1alpha1\nkind: TCPProbeConfig\nname: a\nendpoint: x:1\n";
  EXPECT_EQ(Config(probe).of(13).findings(), "");
  EXPECT_THAT(Config(probe).of(12).findings(), HasSubstr("exists since Talos 1.13"));
  const std::string off = "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n";
  EXPECT_EQ(Config(off).of(13).findings(), "");
  EXPECT_NE(Config(off).of(12).findings(), "");
}

TEST(Validate, OldAndNewStyleExcludeEachOther) {
  EXPECT_THAT(worker("  network: {hostname: a}\n")
                  .with("---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n")
                  .findings(),
              HasSubstr("machine.network.hostname and a HostnameConfig document say the same"));
  EXPECT_THAT(worker("  time: {servers: [a]}\n")
                  .with("---\napiVersion: v1alpha1\nkind: TimeSyncConfig\nntp: {servers: [a]}\n")
                  .findings(),
              HasSubstr("machine.time.servers"));
}

TEST(Validate, ASelectorIsTypeChecked) {
  EXPECT_THAT(
      Config("apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\nprovisioning:\n"
             "  minSize: 1GB\n  diskSelector:\n    match: disk.siez > 10\n")
          .findings(),
      HasSubstr("7:12 error diskSelector.match: there is no field `siez` (character 5); did "
                "you mean \"size\"?"));
}

TEST(Validate, AWorkerKeepsNoKeysAndNoVirtualAddress) {
  const std::string found =
      worker("  network: {interfaces: [{interface: eth0, vip: {ip: 10.0.0.9}}]}\n",
             "  ca: {crt: LS0t, key: LS0t}\n")
          .findings();
  EXPECT_THAT(found, HasSubstr("a worker cannot have a virtual IP"));
  EXPECT_THAT(found, HasSubstr("only a control plane may have cluster.ca.key"));
}

TEST(Validate, SecretsAreNeverRepeated) {
  const std::string found =
      Config(
          "machine:\n  type: worker\n  token: [canary]\n  ca: {crt: LS0t, key: canary!}\n"
          "  network: {interfaces: [{interface: wg0, wireguard: {privateKey: canary}}]}\n"
          "cluster: {secret: {canary: 1}, controlPlane: {endpoint: 'https://x'}}\n"
          "---\napiVersion: v1alpha1\nkind: WireguardConfig\nname: wg0\nprivateKey: canary\n"
          "---\napiVersion: v1alpha1\nkind: RegistryTLSConfig\nname: a\n"
          "clientIdentity: {cert: a, key: canary}\n"
          "---\napiVersion: v1alpha1\nkind: SideroLinkConfig\napiUrl: http://x/?t=canary\n")
          .findings();
  EXPECT_THAT(found, HasSubstr("32 bytes in base64"));
  // The name of a key is not a secret; its value is.
  EXPECT_THAT(found, Not(HasSubstr("`canary`")));
  EXPECT_THAT(found, Not(HasSubstr("t=canary")));
}

TEST(Validate, WhatIsNoConfigIsRefused) {
  for (const char* const text : {"", "---\n", "null\n", "[]\n", "a: [\n", "text\n", "{}\n"}) {
    EXPECT_NE(Config(text).findings(), "") << text;
  }
}

TEST(Validate, EmptyPlacesInListsAreRefusedWhereTalosWouldCrash) {
  EXPECT_THAT(worker("  network: {interfaces: [null]}\n").findings(),
              HasSubstr("an item of interfaces is empty"));
  EXPECT_THAT(worker("  disks: [{device: a, partitions: [~]}]\n").findings(),
              HasSubstr("an item of partitions is empty"));
}

TEST(Validate, ARuntimeSpecIsReadByItsTypes) {
  EXPECT_EQ(
      worker("  baseRuntimeSpecOverrides: {process: {rlimits: [{type: a, hard: 5}]}}\n").findings(),
      "");
  EXPECT_THAT(
      worker("  baseRuntimeSpecOverrides: {Process: {rlimits: [{hard: '5'}]}}\n").findings(),
      HasSubstr("baseRuntimeSpecOverrides.Process.rlimits.hard must be an integer"));
}

Config typed(const std::string& documents, const std::string& cluster = "") {
  return Config(
      "machine:\n  type: controlplane\n  ca: {crt: LS0t, key: LS0t}\ncluster:\n  token: a.b\n" +
      cluster + documents);
}

std::string document(const std::string& kind, const std::string& rest) {
  return "---\napiVersion: v1alpha1\nkind: " + kind + "\n" + rest;
}

TEST(ValidateTyped, DocumentsStandInForOldSections) {
  EXPECT_THAT(typed(document("SecurityProfileConfig", "")).findings(), IsEmpty());
  EXPECT_THAT(typed("").of(13).findings(), HasSubstr("machine.install is missing"));
  EXPECT_THAT(typed(document("SecurityProfileConfig", "")).of(13).findings(),
              HasSubstr("SecurityProfileConfig exists since Talos 1.14"));
}

TEST(ValidateTyped, AnOldSectionBesideItsDocumentIsRefusedWithBothNames) {
  const std::string prism = document("KubeletConfig", "image: a\n");
  const std::string findings = Config(
                                   "machine:\n  type: worker\n  ca: {crt: LS0t}\n  kubelet: {}\n"
                                   "cluster: {}\n" +
                                   prism)
                                   .findings();
  EXPECT_THAT(findings, HasSubstr("machine.kubelet and a KubeletConfig document say the same"));
  EXPECT_THAT(findings, HasSubstr("remove machine.kubelet, or the document"));
}

TEST(ValidateTyped, TheWholeConfigIsLookedAt) {
  const std::string service = document("DiscoveryServiceConfig", "name: a\nendpoint: https://x\n");
  EXPECT_THAT(typed(service).findings(), HasSubstr("discovery needs the id of the cluster"));
  EXPECT_THAT(typed(service, "  id: a\n  secret: b\n").findings(), IsEmpty());
  EXPECT_THAT(typed(document("KubeSpanConfig", "enabled: true\n")).of(14).findings(),
              HasSubstr("KubeSpan needs discovery"));
  EXPECT_THAT(typed("", "  ca: {crt: LS0t, key: LS0t}\n").of(14).findings(),
              HasSubstr("a control plane must say how etcd is encrypted"));
  EXPECT_THAT(typed("").of(14).in(RuntimeMode::container).findings(),
              HasSubstr("the DNS of the host must be enabled in a container"));
  const std::string web =
      document("ContainerConfig", "name: a\nimage: ab\ndependsOn: {containers: [b]}\n");
  EXPECT_THAT(Config(web).findings(), HasSubstr("there is no container `b`"));
  EXPECT_THAT(Config(web + document("ContainerConfig",
                                    "name: b\nimage: ab\ndependsOn: {containers: [a]}\n"))
                  .findings(),
              HasSubstr("waits for itself"));
  EXPECT_THAT(Config(document("KubeCoreDNSConfig", "")).findings(),
              HasSubstr("KubeCoreDNSConfig is for control planes only"));
}

/// What stands at "cluster.network.x": mappings around a value that is filled by any measure.
std::string old_section(std::string path) {
  const auto below = path.find('.');
  const std::string section = path.substr(0, below);
  std::string text = "{a: b}";
  if (path.ends_with("localAPIServerPort")) text = "7443";
  if (path.ends_with("Name") || path.ends_with("Secret") || path.ends_with(".id") ||
      path.ends_with(".secret")) {
    text = "abc";
  }
  if (path.ends_with("admissionControl")) text = "[{name: PodSecurity}]";
  if (path.ends_with("endpoint")) text = "'https://192.0.2.1:6443'";
  for (const char* flag : {"OnControlPlanes", "OnMasters", "FQDN", "Registration"}) {
    if (path.ends_with(flag)) text = "true";
  }
  const bool labels = path.ends_with("Labels") || path.ends_with("Annotations") ||
                      path.ends_with("Taints") || path.ends_with("auditPolicy") ||
                      path.ends_with("Overrides");
  if (text == "{a: b}" && !labels) text = "{}";
  for (auto dot = path.rfind('.'); dot != std::string::npos; dot = path.rfind('.')) {
    text = "{" + path.substr(dot + 1) + ": " + text + "}";
    path.resize(dot);
  }
  return section + ": " + text + "\n";
}

TEST(ValidateTyped, EachConflictNamesBothSidesAndAFix) {
  for (const Replaced& part : replaced_parts()) {
    const std::string kind = part.kind;
    const std::string found = Config(old_section(part.path) + document(kind, "")).of(14).findings();
    EXPECT_THAT(found, HasSubstr(fmt::format("error {} and a {} document say the same thing; "
                                             "remove {}, or the document",
                                             part.path, kind, part.path)))
        << old_section(part.path);
  }
}

TEST(ValidateTyped, AKeyOfTalos114ShowsItsRules) {
  EXPECT_THAT(Config(document("ResolverConfig", "hostDNS: {enabled: true}\n")).findings(),
              IsEmpty());
  EXPECT_THAT(Config(document("ResolverConfig", "hostDNS: {enabled: true}\n")).of(13).findings(),
              HasSubstr("hostDNS"));
  EXPECT_THAT(Config(document("TimeSyncConfig", "ntp: {servers: [a.example.org], useNTS: true}\n"))
                  .findings(),
              IsEmpty());
}

TEST(ValidateTyped, DatesWithoutQuotesAreNoTexts) {
  const std::string dated = document("SysctlConfig", "params: {a: 2026-01-31}\n");
  EXPECT_THAT(Config(dated).findings(), HasSubstr("a date needs quotes"));
  EXPECT_THAT(
      Config(document("SysctlConfig", "params: {a: '2026-01-31', b: 2026-02-30}\n")).findings(),
      IsEmpty());
}

}  // namespace

}  // namespace ichor
