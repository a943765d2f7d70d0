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

TEST(Diff, SecretsAreHidden) {
  EXPECT_EQ(diff("machine: {token: c4n4ry, ca: {crt: Zm9v, key: YmFy}}",
                 "machine: {token: c4n4ry2, ca: {crt: Zm9v, key: YmF6}}"),
            "v1alpha1|machine.token|(secret)|(secret)\n"
            "v1alpha1|machine.ca.key|(secret)|(secret)\n");
  EXPECT_EQ(diff("machine: {}", "machine: {ca: {crt: Zm9v, key: YmF6}}"),
            "v1alpha1|machine.ca||{crt: Zm9v, key: (secret)}\n");
}

}  // namespace
}  // namespace ichor
