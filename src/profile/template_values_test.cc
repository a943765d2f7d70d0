#include "profile/template_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "template/render.h"

namespace ichor {
namespace {

/// What a template prints with the variables of a YAML text.
std::string rendered(std::string_view yaml_text, std::string_view text) {
  const auto document = yaml::parse_single(yaml_text, "vars.yaml");
  if (!document) return document.error().message();
  const auto variables = template_value(document->root, "vars.yaml");
  if (!variables) return variables.error().message();
  const auto result = jinja::render(text, "t.j2", *variables, {});
  return result ? result->text : result.error().message();
}

TEST(TemplateValues, KeepTheTypesOfTheFile) {
  EXPECT_EQ(rendered("{a: 5, b: 1.5, c: true, d: null, e: '5', f: [1, x]}",
                     "{{ a + 1 }} {{ b * 2 }} {{ c }} {{ d }} {{ e ~ 1 }} {{ f }}"),
            "6 3.0 True None 51 [1, 'x']");
}

TEST(TemplateValues, YesAndNoAreTextsAndOctalIsWrittenWithO) {
  EXPECT_EQ(rendered("{a: yes, b: off, c: 0o17, d: 0x1f}", "{{ a }} {{ b }} {{ c }} {{ d }}"),
            "yes off 15 31");
}

TEST(TemplateValues, KeysHaveTypesToo) {
  EXPECT_EQ(rendered("a: {1: one, '1': text}", "{{ a[1] }} {{ a['1'] }}"), "one text");
}

TEST(TemplateValues, ANumberThatReadersTakeDifferentlyIsRefusedWithItsPlace) {
  EXPECT_THAT(rendered("a: 1\nb: 010", "{{ b }}"), testing::StartsWith("vars.yaml:2:4: "));
  EXPECT_THAT(rendered("a: 99999999999999999999", "{{ a }}"), testing::HasSubstr("64 bits"));
}

}  // namespace
}  // namespace ichor
