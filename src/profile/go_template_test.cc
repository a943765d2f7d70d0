#include "profile/go_template.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

std::string of(std::string_view text) {
  const auto result =
      render_go_template(text, {{"ID", "abc"}, {"Mode", "metal"}, {"Secureboot", "false"}});
  return result ? *result : "! " + result.error();
}

TEST(GoTemplate, FieldsAndConditions) {
  EXPECT_EQ(of("{{.Mode}}-installer{{if .Secureboot}}-secureboot{{end}}/{{ .ID }}"),
            "metal-installer/abc");
  EXPECT_EQ(of("{{ if .ID }}a{{ else }}b{{ end }}"), "a");
  EXPECT_EQ(of("x  {{- .ID -}}  y"), "xabcy");
}

TEST(GoTemplate, TheRestIsRefused) {
  EXPECT_EQ(of("{{ .ID | upper }}"),
            "! `{{ .ID | upper }}` is more of Go's templates than ichor knows");
  EXPECT_EQ(of("{{ if .ID }}"), "! {{ if }} without {{ end }}");
  EXPECT_EQ(of("{{ .ID"), "! {{ without }}");
}

}  // namespace
}  // namespace ichor
