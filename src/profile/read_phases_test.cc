#include "profile/read_phases.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/read_profile.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kSmall =
    "name: small\n"
    "network: {api_endpoint: 10.0.0.1, node_cidr: 10.0.0.0/24}\n"
    "talos: {version: v1.13.0}\n"
    "nodes: {controlplane: {assignments: [{name: a, ip: 10.0.0.1, disk: /dev/vda}]}}\n";

ProfileReading read(std::string_view more) {
  return read_profile(std::string(kSmall) + std::string(more), "p.yaml");
}

std::string first_finding(std::string_view more) {
  const ProfileReading reading = read(more);
  return reading.ok() ? "taken" : reading.findings.front().what;
}

TEST(Phases, AreNoneUnlessTheProfileHasThem) {
  EXPECT_EQ(read("").profile.kubernetes, nullptr);
  const ProfileReading gates = read("gates: {nodes: {stable: 5s}}\n");
  ASSERT_TRUE(gates.ok());
  EXPECT_FALSE(gates.profile.kubernetes->phases);
  EXPECT_EQ(gates.profile.kubernetes->gates.nodes_stable, std::chrono::seconds(5));
}

TEST(Phases, AreReadWithEveryPart) {
  const ProfileReading reading = read(
      "phases:\n"
      "  root: ..\n"
      "  namespaces: {names: [network], tree: kubernetes/apps}\n"
      "  secrets:\n"
      "    manifests: [bootstrap/secrets.sops.yaml]\n"
      "    items:\n"
      "    - {name: sops-age, namespace: flux-system, age_key: age.agekey}\n"
      "    - {name: op, namespace: x, onepassword: {token: 'op://kubernetes/connect/token'}}\n"
      "    onepassword: {via: connect, connect_host: 'http://127.0.0.1:8080/'}\n"
      "    sealed_secrets: {}\n"
      "  crds: {helmfile: h.yaml, dirs: [crds], charts: [{chart: charts/a, version: 1.0.0}]}\n"
      "  core:\n"
      "    releases:\n"
      "    - {name: cilium, namespace: kube-system, from: apps/cilium}\n"
      "    - {name: b, chart: charts/b, needs: [cilium]}\n"
      "    approve_csrs: false\n"
      "  flux: {operator: none, kustomize_root: kubernetes/flux}\n"
      "  tools: {helm: /usr/bin/helm}\n"
      "  budgets: {core: 1h}\n"
      "  slo: {total: 30m}\n"
      "gates: {csi: {namespace: longhorn-system, controller: none}}\n");
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  const KubernetesPlan& plan = *reading.profile.kubernetes;
  EXPECT_TRUE(plan.phases);
  EXPECT_EQ(plan.root, "..");
  EXPECT_THAT(plan.namespaces.names, ElementsAre("network"));
  ASSERT_EQ(plan.secrets.size(), 2u);
  EXPECT_EQ(plan.secrets[0].age_key, "age.agekey");
  EXPECT_EQ(plan.onepassword.way, KubernetesPlan::OnePasswordWay::connect);
  EXPECT_EQ(plan.onepassword.connect_host, "http://127.0.0.1:8080");
  EXPECT_TRUE(plan.sealed_secrets.wanted);
  ASSERT_EQ(plan.core.releases.size(), 2u);
  EXPECT_FALSE(plan.core.releases[0].needs_given);
  EXPECT_THAT(plan.core.releases[1].needs, ElementsAre("cilium"));
  EXPECT_FALSE(plan.core.approve_csrs);
  EXPECT_EQ(plan.flux.deployment, "");
  EXPECT_EQ(plan.flux.instance, "flux");
  EXPECT_EQ(plan.budgets.core, std::chrono::hours(1));
  EXPECT_EQ(plan.gates.csi_phase, 3);
  EXPECT_EQ(plan.gates.csi_controller, "");
}

TEST(Phases, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_THAT(first_finding("phases: {secrets: {items: [{name: a, namespace: b}]}}\n"),
              HasSubstr("none of age_key, files and onepassword"));
  EXPECT_THAT(first_finding("phases: {secrets: {items: [{name: a, namespace: b, onepassword: "
                            "{k: 'op://only/two'}}]}}\n"),
              HasSubstr("op://vault/item/field"));
  EXPECT_THAT(first_finding("phases: {secrets: {onepassword: {via: connect}}}\n"),
              HasSubstr("connect_host is missing"));
  EXPECT_THAT(first_finding("phases: {core: {releases: [{name: a}]}}\n"),
              HasSubstr("none of chart and from"));
  EXPECT_THAT(first_finding("phases: {core: {releases: [{name: a, chart: c, needs: [b]}]}}\n"),
              HasSubstr("needs b, which is not a release"));
  EXPECT_THAT(first_finding("phases: {core: {releases: [{name: a, chart: c, needs: [b]}, "
                            "{name: b, chart: c, needs: [a]}]}}\n"),
              HasSubstr("needs itself"));
  EXPECT_THAT(first_finding("phases: {tools: {helm: helm}}\n"), HasSubstr("absolute path"));
  EXPECT_THAT(first_finding("gates: {csi: {phase: 1}}\n"), HasSubstr("must be 2, 3 or 0"));
  EXPECT_THAT(first_finding("phases: {cors: {}}\n"), HasSubstr("cors"));
}

TEST(Phases, NameNoChartThatAProgramWouldReadAsAFlag) {
  for (const char* chart : {"--post-renderer=./x", "oci://h/--post-renderer=x", "-"}) {
    const std::string text =
        fmt::format("phases: {{core: {{releases: [{{name: a, chart: '{}'}}]}}}}\n", chart);
    const ProfileReading reading = read(text);
    ASSERT_EQ(reading.findings.size(), 2u);
    EXPECT_THAT(reading.findings.back().what, HasSubstr("is not a value without a leading -"));
  }
  for (const char* text :
       {"phases: {core: {helmfile: -x}}\n", "phases: {crds: {helmfile: --x}}\n",
        "phases: {flux: {kustomize_root: -x}}\n", "phases: {flux: {kubeconform_schemas: [-x]}}\n",
        "phases: {crds: {charts: [{chart: a, version: -x}]}}\n"}) {
    EXPECT_THAT(first_finding(text), HasSubstr("without a leading -")) << text;
  }
}

TEST(Phases, SendTheTokenOfConnectInTheClearToThisMachineOnly) {
  const auto finding = [](const std::string& host) {
    return first_finding(
        fmt::format("phases: {{secrets: {{onepassword: {{connect_host: '{}'}}}}}}\n", host));
  };
  for (const char* host : {"https://connect.example.org", "http://127.0.0.1:8080",
                           "http://localhost/x", "http://[::1]:8080"}) {
    EXPECT_EQ(finding(host), "taken") << host;
  }
  for (const char* host : {"http://192.168.1.5:8080", "http://127.evil.example",
                           "http://127.0.0.1@evil.example", "http://[fe80::1]", "ftp://x"}) {
    EXPECT_THAT(finding(host), HasSubstr("which is not an address")) << host;
  }
}

}  // namespace
}  // namespace ichor
