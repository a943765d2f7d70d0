#include "machineconfig/typed_config.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "machineconfig/canonical.h"
#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::HasSubstr;

std::string rewritten(std::string_view text) {
  const auto documents = read_config(text, "c.yaml");
  EXPECT_TRUE(documents.has_value()) << documents.error().message;
  return documents ? yaml::emit_all(write_config(*documents, minor_shown(text))) : "";
}

std::string refusal(std::string_view text, int minor = 13) {
  const auto documents = read_config(text, "c.yaml", minor);
  return documents ? "accepted" : documents.error().message;
}

TEST(TypedConfig, AGeneratedConfigComesOutAsItWentIn) {
  for (const char* name : {"controlplane.yaml", "worker.yaml", "contract-1.8/controlplane.yaml",
                           "contract-1.14/controlplane.yaml", "contract-1.14/worker.yaml"}) {
    std::ifstream file(std::string("tests/golden/gen-config/") + name);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(rewritten(text.str()), text.str()) << name;
  }
}

TEST(TypedConfig, ValuesTakeTheirNormalForm) {
  EXPECT_EQ(rewritten("machine: {time: {bootTimeout: 90s}, features: {kubePrism: {port: 0x10}},\n"
                      "  nodeLabels: {b: 1, a: true}, files: [{permissions: 420}]}"),
            "version: \"\"\nmachine:\n    type: \"\"\n    token: \"\"\n    certSANs: []\n"
            "    files:\n        - content: \"\"\n          permissions: 0o644\n"
            "          path: \"\"\n          op: \"\"\n"
            "    time:\n        bootTimeout: 1m30s\n"
            "    features:\n        kubePrism:\n            port: 16\n"
            "    nodeLabels:\n        a: \"true\"\n        b: \"1\"\ncluster: null\n");
}

TEST(TypedConfig, EveryProblemIsReportedWithItsPlace) {
  EXPECT_EQ(refusal("machine:\n  netwrk: {}\n  certSANs: a\n  time: {bootTimeout: 5}\n"),
            "c.yaml:2:3: unknown key \"netwrk\" in machine; did you mean \"network\"?\n"
            "c.yaml:3:13: machine.certSANs must be a list, not a string; write a list here\n"
            "c.yaml:4:23: machine.time.bootTimeout must be a duration such as 90s or 5m, not an "
            "integer (`5`); write a duration such as 90s or 5m here");
}

TEST(TypedConfig, DocumentsAreKnownByKindAndVersion) {
  EXPECT_THAT(refusal("apiVersion: v1alpha1\nkind: HostnamConfig\n"),
              HasSubstr("2:7: unknown kind \"HostnamConfig\"; did you mean \"HostnameConfig\"?"));
  EXPECT_THAT(refusal("apiVersion: v1alpha1\nkind: KubeSpanConfig\n", 12),
              HasSubstr("KubeSpanConfig exists since Talos 1.13"));
  EXPECT_EQ(refusal("apiVersion: v1alpha1\nkind: KubeSpanConfig\n"), "accepted");
  EXPECT_THAT(refusal("kind: HostnameConfig\n"), HasSubstr("has no apiVersion"));
  EXPECT_THAT(refusal("foo: bar\n"), HasSubstr("neither `kind` nor `machine`"));
  EXPECT_THAT(refusal(""), HasSubstr("no machine config"));
}

TEST(TypedConfig, AKeyShowsTheReleaseThatItCameWith) {
  const std::string resolver = "apiVersion: v1alpha1\nkind: ResolverConfig\n";
  EXPECT_EQ(minor_shown(resolver + "hostDNS: {enabled: true}\n"), 14);
  EXPECT_EQ(minor_shown(resolver + "nameservers: [{address: 192.0.2.1}]\n"), 13);
  EXPECT_EQ(minor_shown("{"), 13);
}

TEST(TypedConfig, DocumentsMustNotConflict) {
  const std::string link = "apiVersion: v1alpha1\nkind: LinkConfig\nname: a\n";
  const std::string bond = "---\napiVersion: v1alpha1\nkind: BondConfig\nname: a\n";
  EXPECT_THAT(refusal(link + bond), HasSubstr("BondConfig a conflicts with LinkConfig a"));
  EXPECT_THAT(refusal(link + "---\n" + link), HasSubstr("LinkConfig a appears twice"));
  EXPECT_EQ(refusal(link + "---\napiVersion: v1alpha1\nkind: BondConfig\nname: b\n"), "accepted");
}

TEST(TypedConfig, ASecretThatIsWrongIsNotShown) {
  const std::string said = refusal("machine:\n  token: [c4n4ry]\n  ca: {key: c4n4ry!}\n");
  EXPECT_THAT(said, HasSubstr("machine.token must be"));
  EXPECT_THAT(said, HasSubstr("machine.ca.key must be base64"));
  EXPECT_THAT(said, Not(HasSubstr("c4n4ry")));
}

}  // namespace
}  // namespace ichor
