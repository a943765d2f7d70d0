#include "machineconfig/diff.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

std::string diff(std::string_view left, std::string_view right) {
  std::string text;
  for (const ConfigDifference& one :
       diff_configs(*read_config(left, "a.yaml"), *read_config(right, "b.yaml"))) {
    text += one.document + "|" + one.path + "|" + one.before + "|" + one.after + "\n";
  }
  return text;
}

TEST(Diff, FormAndOrderDoNotCount) {
  EXPECT_EQ(diff("machine: {sysctls: {a: '1', b: '2'}}\n---\napiVersion: v1alpha1\n"
                 "kind: HostnameConfig\nauto: stable\n",
                 "# note\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: STABLE\n---\n"
                 "machine:\n  certSANs: []\n  sysctls:\n    b: 2\n    a: 1\n"),
            "");
}

TEST(Diff, EveryPlaceIsNamed) {
  EXPECT_EQ(diff("machine: {sysctls: {a: '1'}, certSANs: [x, y]}",
                 "machine: {sysctls: {a: '2', b: '3'}, certSANs: [x]}\n---\n"
                 "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\n"),
            "v1alpha1|machine.certSANs[1]|y|\n"
            "v1alpha1|machine.sysctls.a|1|2\n"
            "v1alpha1|machine.sysctls.b||3\n"
            "LinkConfig eth0|||{apiVersion: v1alpha1, kind: LinkConfig, name: eth0}\n");
}

TEST(Diff, CredentialsInUrlsAreHidden) {
  EXPECT_EQ(
      diff("machine: {logging: {destinations: [{endpoint: 'udp://h:1', format: json_lines}]}}",
           "machine: {logging: {destinations: [{endpoint: 'udp://me:c4n4ry@h:1', format: "
           "json_lines}]}}"),
      "v1alpha1|machine.logging.destinations[0].endpoint|udp://h:1|udp://***@h:1\n");
}

TEST(Diff, SecretsAreHidden) {
  EXPECT_EQ(diff("machine: {token: c4n4ry, ca: {crt: Zm9v, key: YmFy}}",
                 "machine: {token: c4n4ry2, ca: {crt: Zm9v, key: YmF6}}"),
            "v1alpha1|machine.token|(secret)|(secret)\n"
            "v1alpha1|machine.ca.key|(secret)|(secret)\n");
  EXPECT_EQ(diff("machine: {}", "machine: {ca: {crt: Zm9v, key: YmF6}}"),
            "v1alpha1|machine.ca||{crt: Zm9v, key: (secret)}\n");
}

TEST(Diff, VariablesHeadersAndTokensInTextsAreHidden) {
  EXPECT_EQ(diff("machine: {env: {TS_AUTHKEY: c4n4ry}}", "machine: {env: {TS_AUTHKEY: c4n4ry2}}"),
            "v1alpha1|machine.env.TS_AUTHKEY|(secret)|(secret)\n");
  EXPECT_EQ(diff("cluster: {}", "cluster: {extraManifestHeaders: {Authorization: c4n4ry}}"),
            "v1alpha1|cluster.extraManifestHeaders||{Authorization: (secret)}\n");
  EXPECT_EQ(diff("cluster: {apiServer: {env: {A: c4n4ry}}}", "cluster: {apiServer: {env: {}}}"),
            "v1alpha1|cluster.apiServer.env|{A: (secret)}|\n");
  EXPECT_EQ(diff("machine: {}",
                 "machine: {}\n---\napiVersion: v1alpha1\nkind: ExtensionServiceConfig\n"
                 "name: tailscale\nenvironment: [TS_AUTHKEY=c4n4ry]\n"),
            "ExtensionServiceConfig tailscale|||{apiVersion: v1alpha1, "
            "kind: ExtensionServiceConfig, name: tailscale, environment: [(secret)]}\n");
  EXPECT_EQ(diff("machine: {install: {disk: /dev/sda}}",
                 "machine: {install: {disk: /dev/sda, extraKernelArgs: "
                 "['siderolink.api=grpc://o?jointoken=c4n4ry', 'talos.config=http://a:b@h/c']}}"),
            "v1alpha1|machine.install.extraKernelArgs||[siderolink.api=grpc://o?jointoken=***, "
            "talos.config=http://***@h/c]\n");
}

}  // namespace
}  // namespace ichor
