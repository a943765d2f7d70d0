#include "profile/template_variables.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

ClusterProfile small_cluster() {
  ClusterProfile profile;
  profile.name = "infra";
  profile.network.node_cidr = "192.168.20.0/22";
  profile.talos.version = {1, 12, 6};
  NodePlan node;
  node.name = NodeName("cp1");
  node.address = IpAddress("192.168.22.101");
  node.role = Role::control_plane;
  profile.nodes.push_back(node);
  return profile;
}

std::string rendered(const std::string& text, const yaml::Node& own = {}) {
  const auto variables = template_variables(small_cluster(), own, "ichor.yaml");
  EXPECT_TRUE(variables.has_value());
  const auto result =
      jinja::render(text, "patch.yaml.j2", *variables, patch_template_options(text));
  return result ? result->text : result.error().message();
}

TEST(TemplateVariables, AreThoseOfTheProfileByItsOwnNames) {
  EXPECT_EQ(rendered("{{ cluster_name }} {{ node_cidr }} {{ talos_version }}"),
            "infra 192.168.20.0/22 v1.12.6");
  EXPECT_EQ(rendered("{% for n in nodes %}{{ n.name }}={{ n.ip }}{% endfor %}"),
            "cp1=192.168.22.101");
}

TEST(TemplateVariables, OfTheProfileGiveWayToThoseThatTheOperatorWrote) {
  const auto own = yaml::parse_single("node_cidr: 10.0.0.0/8\nloki_enabled: true\n", "ichor.yaml");
  EXPECT_EQ(rendered("{{ node_cidr }} {{ loki_enabled }}", own->root), "10.0.0.0/8 True");
}

TEST(TemplateVariables, ThatTheProfileDoesNotSayAreErrors) {
  EXPECT_NE(rendered("{{ gateway }}").find("gateway"), std::string::npos);
  EXPECT_NE(rendered("{{ node_cdir }}").find("node_cidr"), std::string::npos);
}

TEST(PatchTemplates, WithDelimitersOfMakejinjaLeaveThoseOfGoAlone) {
  EXPECT_EQ(rendered("#% if node_cidr %#\nnet: #{ node_cidr }#\ngo: '{{ .X }}'\n#% endif %#\n"),
            "net: 192.168.20.0/22\ngo: '{{ .X }}'\n");
}

}  // namespace
}  // namespace ichor
