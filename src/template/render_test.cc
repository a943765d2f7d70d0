#include "template/render.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ichor::jinja {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Shelf final : public Loader {
 public:
  std::map<std::string, std::string> templates;
  std::vector<std::string> asked;
  Result<std::optional<std::string>> load(const std::string& name) override {
    asked.push_back(name);
    const auto found = templates.find(name);
    if (found == templates.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }
};

/// A template of a machine config patch, and the variables of a cluster.
class RenderTest : public testing::Test {
 protected:
  Shelf shelf;
  Options options;
  Value variables = Value::dict({
      {Value::string("cluster_name"), Value::string("home")},
      {Value::string("loki_enabled"), Value::boolean(false)},
      {Value::string("token"), Value::string("canary-secret")},
      {Value::string("nodes"),
       Value::list({Value::dict({{Value::string("name"), Value::string("cp1")},
                                 {Value::string("ip"), Value::string("10.0.0.1")}}),
                    Value::dict({{Value::string("name"), Value::string("w1")}})})},
  });

  tl::expected<Rendering, TemplateError> rendering(std::string_view text) {
    return render(text, "patch.yaml.j2", variables, options, &shelf);
  }
  std::string text(std::string_view text) {
    auto result = rendering(text);
    return result ? result->text : "error: " + result.error().message();
  }
  /// Where and why it fails.
  std::string error(std::string_view text) {
    auto result = rendering(text);
    return result ? "no error: " + result->text : result.error().message();
  }
  std::vector<std::string> skipped(std::string_view text) {
    std::vector<std::string> lines;
    auto result = rendering(text);
    if (!result) return {result.error().message()};
    for (const Skipped& one : result->skipped) {
      lines.push_back(fmt::format("{}:{}:{} {}", one.file, one.line, one.column, one.text));
    }
    return lines;
  }
};

TEST_F(RenderTest, NodesBecomeAList) {
  EXPECT_EQ(text("{% for node in nodes %}- {{ node.name }}\n{% endfor %}"), "- cp1\n- w1\n");
}

TEST_F(RenderTest, TheDelimitersOfClusterTemplateLeaveGoTemplatesAndYamlCommentsAlone) {
  options.syntax.delimiters = makejinja_delimiters();
  EXPECT_EQ(text("# {{ .Values }} #{ cluster_name }# #| new #|#| old |#."),
            "# {{ .Values }} home .");
}

TEST_F(RenderTest, AnUndefinedNameIsNamedWithItsPlaceAndTheNearestOne) {
  EXPECT_EQ(error("a\n  {{ cluster_nmae }}"),
            "patch.yaml.j2:2:6: 'cluster_nmae' is undefined (did you mean \"cluster_name\"? else "
            "define it, or use | default(…))");
}

TEST_F(RenderTest, AnUndefinedConditionIsAnErrorAndNotFalse) {
  EXPECT_THAT(error("{% if talos_system_logs_enabled %}x{% endif %}"),
              StartsWith("patch.yaml.j2:1:7: 'talos_system_logs_enabled' is undefined"));
}

TEST_F(RenderTest, AMissingKeyIsNamedWithItsPath) {
  EXPECT_THAT(error("{{ nodes[1].ip }}"), HasSubstr("'nodes[1].ip' is undefined"));
  EXPECT_THAT(error("{{ nodes[0].nane }}"), HasSubstr("did you mean \"name\"?"));
}

TEST_F(RenderTest, AnUndefinedValueMayBePassedOnAndIsReportedWhereItWasNamed) {
  EXPECT_EQ(text("{% set x = nope %}{{ x | default('d') }}"), "d");
  EXPECT_THAT(error("{% set x = nope %}\n{{ x }}"), StartsWith("patch.yaml.j2:1:12: 'nope'"));
}

TEST_F(RenderTest, AnEmptyPatchNamesTheFalseCondition) {
  const auto empty =
      rendering("{% if loki_enabled | default(false) %}\nmachine: {}\n{% endif %}\n");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->is_empty());
  EXPECT_THAT(skipped("{% if loki_enabled | default(false) %}\nmachine: {}\n{% endif %}\n"),
              ElementsAre("patch.yaml.j2:1:7 if loki_enabled | default(false)"));
}

TEST_F(RenderTest, EveryBranchThatWasNotTakenIsNamedOnce) {
  EXPECT_THAT(skipped("{% for n in nodes %}{% if n.name == 'x' %}1{% elif loki_enabled %}2"
                      "{% endif %}{% endfor %}"),
              ElementsAre(HasSubstr("if n.name == 'x'"), HasSubstr("if loki_enabled")));
  EXPECT_THAT(skipped("{% if loki_enabled %}1{% else %}2{% endif %}"), ElementsAre());
  EXPECT_THAT(skipped("{% for n in [] %}1{% endfor %}"), ElementsAre(HasSubstr("for n in []")));
}

TEST_F(RenderTest, IncludesComeFromTheLoaderOnly) {
  shelf.templates["part/a.j2"] = "{{ cluster_name }}";
  EXPECT_EQ(text("[{% include 'part/a.j2' %}]"), "[home]");
  EXPECT_EQ(text("{% include 'nope' ignore missing %}."), ".");
  for (const char* name : {"../a.j2", "/etc/passwd", "part/../../a.j2", "./a.j2", "a//b", ""}) {
    EXPECT_THAT(error(fmt::format("{{% include '{}' ignore missing %}}", name)),
                HasSubstr("leads out of the template root"))
        << name;
  }
  EXPECT_THAT(shelf.asked, ElementsAre("part/a.j2", "nope"));
}

TEST_F(RenderTest, AnErrorInAnIncludedFileNamesThatFile) {
  shelf.templates["a.j2"] = "x\n{{ nope }}";
  EXPECT_THAT(error("{% include 'a.j2' %}"), StartsWith("a.j2:2:4: 'nope' is undefined"));
  shelf.templates["b.j2"] = "{% if %}";
  EXPECT_THAT(error("{% include 'b.j2' %}"), StartsWith("b.j2:1:7: "));
}

TEST_F(RenderTest, ErrorsNeverShowAValue) {
  for (const char* bad :
       {"{{ token + 1 }}", "{{ nodes[token] }}", "{{ {}[token] }}", "{{ token | round }}",
        "{{ token.nope }}", "{{ token() }}", "{% include token %}", "{{ 'x' | int(base=token) }}",
        "{{ nodes | map(token) | list }}", "{{ nodes | selectattr('name', token) | list }}",
        "{{ token | format(1) }}", "{{ token.format(1).index('z') }}", "{{ range(token) }}",
        "{% set a, b = token %}", "{{ dict([token]) }}", "{{ nodes | sort(attribute=token) }}",
        "{{ (token ~ '{x}').format() }}", "{{ [token] | sum }}", "{{ token < 1 }}"}) {
    EXPECT_THAT(error(bad), Not(HasSubstr("canary"))) << bad;
    EXPECT_THAT(error(bad), Not(HasSubstr("no error"))) << bad;
  }
}

TEST_F(RenderTest, HostileTemplatesMeetALimit) {
  options.limits.steps_max = 100'000;
  EXPECT_THAT(
      error("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"),
      HasSubstr("more than 100000 steps"));
  EXPECT_THAT(error("{{ 'x' * 99999999999 }}"), HasSubstr("a text grows beyond"));
  EXPECT_THAT(error("{{ [0] * 99999999999 }}"), HasSubstr("steps"));
  EXPECT_THAT(error("{{ range(1000000) }}"), HasSubstr("more than 100000 numbers"));
  EXPECT_THAT(error("{% set x = [1] %}{% for i in x %}{% do x.append(i) %}{% endfor %}"),
              HasSubstr("steps"));
  EXPECT_THAT(error("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              HasSubstr("levels of nesting"));
  shelf.templates["self"] = "{% include 'self' %}";
  EXPECT_THAT(error("{% include 'self' %}"), HasSubstr("include each other"));
  EXPECT_THAT(error("{{ " + std::string(5'000, '(') + "1" + std::string(5'000, ')') + " }}"),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(error("{{ 9223372036854775807 + 1 }}"), HasSubstr("64 bits"));
}

TEST_F(RenderTest, DataThatIsNestedDeeperThanTheStackDiesQuietly) {
  const std::string deep =
      "{% set root = [] %}{% set ns = namespace(last=root) %}{% for i in range(100000) %}"
      "{% set next = [] %}{% do ns.last.append(next) %}{% set ns.last = next %}{% endfor %}";
  EXPECT_EQ(text(deep + "done"), "done");
  EXPECT_THAT(error(deep + "{{ root }}"), HasSubstr("levels of nesting"));
  EXPECT_THAT(error(deep + "{{ root == [root] }}"), HasSubstr("levels of nesting"));
  EXPECT_THAT(error(deep + "{{ root | tojson }}"), HasSubstr("levels of nesting"));
}

TEST_F(RenderTest, ANameThatIsWrittenInTheTemplateIsShownInItsError) {
  EXPECT_THAT(error("{{ nodes | map('uper') | list }}"), HasSubstr("of that name: 'uper'"));
  EXPECT_THAT(error("{{ nodes | sort(attribute='nmae') }}"), HasSubstr("no such item: 'nmae'"));
}

TEST_F(RenderTest, NothingCanBePutIntoItself) {
  for (const char* cycle :
       {"{% set x = [] %}{% do x.append(x) %}", "{% set x = {} %}{% do x.update(a=[x]) %}",
        "{% set x = namespace() %}{% set x.y = {'z': x} %}",
        "{% set x = [] %}{% do x.append(x.append) %}",
        "{% set x = [1] %}{% for i in x %}{% do x.append(loop) %}{% endfor %}",
        "{% set x = {} %}{% do x.setdefault('k', x.values()) %}",
        "{% for i in [1] %}{{ loop.changed(loop) }}{% endfor %}"}) {
    EXPECT_THAT(error(cycle), HasSubstr("cannot be put into itself")) << cycle;
  }
}

TEST_F(RenderTest, TheVariablesOfTheCallerStayAsTheyAre) {
  EXPECT_EQ(text("{% do nodes.append(1) %}{{ nodes | length }}"), "3");
  EXPECT_EQ(text("{{ nodes | length }}"), "2");
}

TEST_F(RenderTest, SyntaxErrorsPointAtTheirPlace) {
  EXPECT_THAT(error("ä {{ 1 + }}"), StartsWith("patch.yaml.j2:1:10: the end of the tag where"));
  EXPECT_THAT(error("\n{% fro x in y %}"), HasSubstr("2:4: there is no tag called 'fro'"));
  EXPECT_THAT(error("{{ x | uper }}"), HasSubstr("did you mean \"upper\"?"));
  EXPECT_THAT(error("{% if true %}"), HasSubstr("the template ends before 'elif'"));
  EXPECT_THAT(error("a\xff"), HasSubstr("1:2: the template is not UTF-8"));
}

TEST_F(RenderTest, AMacroMayNotOutliveItsBlock) {
  EXPECT_THAT(error("{% set ns = namespace() %}{% for i in [1] %}{% macro m() %}x{% endmacro %}"
                    "{% set ns.m = m %}{% endfor %}{{ ns.m() }}"),
              HasSubstr("called outside of its block"));
}

/// As jinja2 renders the same templates.
TEST_F(RenderTest, AChildPutsItsBlocksIntoItsParent) {
  shelf.templates["base.j2"] =
      "a={% block a %}base a{% endblock %};b={% block b %}base b{% endblock b %};{{ extra }}";
  EXPECT_EQ(text("{% extends 'base.j2' %}dropped {{ nowhere }}{% set extra = 'x' %}"
                 "{% block a %}[{{ super() }}] {{ cluster_name }}{% endblock %}"),
            "a=[base a] home;b=base b;x");
}

TEST_F(RenderTest, InheritanceMayHaveSeveralLevels) {
  shelf.templates["base.j2"] = "{% block a %}1{% endblock %}";
  shelf.templates["middle.j2"] =
      "{% extends 'base.j2' %}{% block a %}{{ super() }}2{% block b %}b{% endblock %}{% endblock "
      "%}";
  EXPECT_EQ(text("{% extends 'middle.j2' %}{% block b %}B{{ super() }}{% endblock %}"), "12Bb");
}

TEST_F(RenderTest, ABlockSeesTheLoopAroundItOnlyIfItIsScoped) {
  EXPECT_EQ(text("{% for node in nodes %}{% block row scoped %}{{ node.name }} {% endblock %}"
                 "{% endfor %}"),
            "cp1 w1 ");
  EXPECT_THAT(error("{% for node in nodes %}{% block row %}{{ node.name }}{% endblock %}"
                    "{% endfor %}"),
              HasSubstr("node"));
}

TEST_F(RenderTest, SelfRendersABlockAgain) {
  shelf.templates["base.j2"] = "{% block a %}1{% endblock %} {{ self.a() }}{{ self.a() }}";
  EXPECT_EQ(text("{% extends 'base.j2' %}{% block a %}[{{ super() }}]{% endblock %}"),
            "[1] [1][1]");
  EXPECT_EQ(text("{% block a %}1{% endblock %}{% block b %}{{ self.a() }}{% endblock %}"), "11");
  EXPECT_EQ(text("{{ self.a is defined }}{{ self.b is defined }}{% block a %}{% endblock %}"),
            "TrueFalse");
  EXPECT_THAT(error("{{ self.b() }}{% block a %}{% endblock %}"), HasSubstr("'b'"));
  EXPECT_THAT(error("{% block a %}{{ self.a() }}{% endblock %}"), HasSubstr("nested"));
}

TEST_F(RenderTest, AMissingTemplateIsNamed) {
  EXPECT_THAT(error("{% include 'machine-dns.yaml.j2' %}"), HasSubstr("'machine-dns.yaml.j2'"));
  EXPECT_THAT(error("{% extends 'base.yaml.j2' %}"), HasSubstr("'base.yaml.j2'"));
  EXPECT_THAT(error("{% include token %}"), Not(HasSubstr("canary-secret")));
}

TEST_F(RenderTest, InheritanceThatCannotEndIsRefused) {
  shelf.templates["loop.j2"] = "{% extends 'loop.j2' %}";
  EXPECT_THAT(error("{% extends 'loop.j2' %}"), HasSubstr("inherit from each other"));
  shelf.templates["base.j2"] = "{% block a required %}{% endblock %}";
  EXPECT_THAT(error("{% extends 'base.j2' %}"), HasSubstr("block 'a' is required"));
  EXPECT_THAT(error("{% block a %}{% endblock %}{% block a %}{% endblock %}"),
              HasSubstr("two blocks are called 'a'"));
}

TEST_F(RenderTest, StripTagsLeavesTheText) {
  EXPECT_EQ(text("{{ '<p>a  <b>b</b>\n<!-- <x> -->&lt;c&gt; 1 < 2</p>' | striptags }}"),
            "a b <c> 1");
}

TEST_F(RenderTest, AFeatureThatIsNotThereIsNamed) {
  EXPECT_THAT(error("{% trans %}x{% endtrans %}"), HasSubstr("'trans'"));
  EXPECT_THAT(error("{{ x | urlize }}"), HasSubstr("'urlize'"));
}

TEST_F(RenderTest, ALineOfManyTagsIsReadOnce) {
  // Positions were once counted from the start of the line for each of them: minutes for this one.
  std::string line;
  for (int i = 0; i < 300'000; ++i) line += "{#c#}x{{1}}";
  EXPECT_EQ(text(line).size(), 600'000u);
  options.syntax.delimiters = makejinja_delimiters();
  std::string comments;
  for (int i = 0; i < 300'000; ++i) comments += "#| c |#";
  EXPECT_EQ(text(comments), "");
}

TEST_F(RenderTest, PositionsCountCharactersOfTheLine) {
  EXPECT_THAT(error("a{{ 1 }}\n\u00fc\u6f22{{ 1 }}{{ nmae }}"),
              StartsWith("patch.yaml.j2:2:13: 'nmae' is undefined"));
}

}  // namespace
}  // namespace ichor::jinja
