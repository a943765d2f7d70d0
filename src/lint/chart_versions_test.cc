#include "lint/chart_versions.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

std::string shown(const std::string& text) {
  std::string all;
  for (const ChartVersion& chart : versions_in_helmfile(text, "f.yaml")) {
    all += chart.name + " " + chart.version + " " + chart.where + "\n";
  }
  return all;
}

TEST(ChartVersions, AreReadOutOfAHelmfile) {
  EXPECT_EQ(shown("releases:\n"
                  "  - name: crds\n"
                  "    namespace: cert-manager\n"
                  "    chart: oci://quay.io/jetstack/charts/cert-manager\n"
                  "    version: v1.19.1  # with the controller's\n"
                  "  - name: flux-operator\n"
                  "    version: \"0.59.0\"\n"),
            "cert-manager v1.19.1 f.yaml:5:5\nflux-operator 0.59.0 f.yaml:7:5\n");
}

TEST(ChartVersions, AreReadOutOfTheDictsOfATemplate) {
  EXPECT_EQ(
      shown("{{- range list\n"
            "  (dict \"name\" \"cilium\" \"namespace\" \"kube-system\" \"version\" \"1.18.4\")\n"
            "  (dict \"name\" \"cert-manager\"\n"
            "        \"version\" \"v1.18.0\") }}\n"
            "  - name: {{ .name }}\n"
            "    version: {{ .version }}\n"),
      "cilium 1.18.4 f.yaml:2:52\ncert-manager v1.18.0 f.yaml:4:10\n");
}

}  // namespace
}  // namespace ichor
