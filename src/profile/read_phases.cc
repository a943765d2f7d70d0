#include "profile/read_phases.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/argument.h"
#include "base/ip.h"
#include "profile/formats.h"

namespace ichor {

namespace {

constexpr std::string_view kName = "a name of lower-case letters, digits, - and .";
constexpr std::string_view kReference = "a reference such as op://vault/item/field";

bool is_kube_name(std::string& text) { return is_name(text); }
bool is_argument(std::string& text) { return is_argument_value(text); }
bool is_chart(std::string& text) { return is_chart_argument(text); }
bool is_absolute(std::string& text) { return text.starts_with('/') && is_argument_value(text); }
/// The token of 1Password Connect goes there with every request, so it must be encrypted or stay on
/// this machine.
bool is_safe_address(std::string& text) {
  while (text.ends_with('/')) text.pop_back();
  if (text.starts_with("https://")) return true;
  constexpr std::string_view plain = "http://";
  if (!text.starts_with(plain)) return false;
  std::string host = text.substr(plain.size(), text.find('/', plain.size()) - plain.size());
  if (host.find('@') != std::string::npos) return false;
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1) == "[::1]";
  host = host.substr(0, host.find(':'));
  return host == "localhost" || (host.starts_with("127.") && parse_ip(host).has_value());
}

/// op://vault/item/field, or op://vault/item/section/field.
bool is_reference(std::string_view text) {
  if (!text.starts_with("op://")) return false;
  const auto slashes = std::count(text.begin() + 5, text.end(), '/');
  return (slashes == 2 || slashes == 3) && text.find("//", 5) == std::string_view::npos &&
         !text.ends_with('/');
}

/// The name of an object that is waited for, or none.
void read_object(MappingReader& reader, std::string_view key, std::string& target) {
  reader.text(key, target, Need::optional, "a name, or none", is_kube_name);
  if (target == "none") target.clear();
}

using Plan = KubernetesPlan;

void read_namespaces(MappingReader reader, Plan::Namespaces& target) {
  reader.texts("names", target.names, kName, is_kube_name);
  reader.text("tree", target.tree);
  reader.finish();
}

Plan::SecretItem read_secret(MappingReader reader) {
  Plan::SecretItem item;
  reader.text("name", item.name, Need::required, kName, is_kube_name);
  reader.text("namespace", item.name_space, Need::required, kName, is_kube_name);
  reader.text("type", item.type);
  reader.text("age_key", item.age_key);
  reader.text_map("files", item.files);
  reader.text_map("onepassword", item.onepassword);
  for (const auto& [key, reference] : item.onepassword) {
    if (is_reference(reference)) continue;
    reader.report("onepassword", "profile.value",
                  fmt::format("{}.{} must be {}", reader.path_of("onepassword"), key, kReference),
                  "copy the secret reference from 1Password");
  }
  const int sources = static_cast<int>(!item.age_key.empty()) +
                      static_cast<int>(!item.files.empty()) +
                      static_cast<int>(!item.onepassword.empty());
  if (sources != 1 && reader.has("name")) {
    reader.report("", "profile.value",
                  fmt::format("{} has {} of age_key, files and onepassword", reader.path(),
                              sources == 0 ? "none" : "several"),
                  "say where the values of this Secret come from, in one of the three ways");
  }
  reader.finish();
  return item;
}

void read_onepassword(MappingReader reader, Plan::OnePassword& target) {
  if (const auto way = reader.choice("via", {"op", "connect"})) {
    target.way = *way == 1 ? Plan::OnePasswordWay::connect : Plan::OnePasswordWay::op;
  }
  reader.text("connect_host", target.connect_host, Need::optional,
              "an address such as https://connect.example.org, or of this machine "
              "(http://127.0.0.1:8080)",
              is_safe_address);
  reader.text("connect_token_file", target.connect_token_file);
  if (target.way == Plan::OnePasswordWay::connect && target.connect_host.empty()) {
    reader.report("via", "profile.missing",
                  fmt::format("{} is missing", reader.path_of("connect_host")),
                  "say where 1Password Connect listens: `connect_host: http://127.0.0.1:8080`");
  }
  reader.finish();
}

void read_secrets(MappingReader reader, Plan& plan) {
  reader.texts("manifests", plan.secret_manifests);
  for (MappingReader& item : reader.sections("items")) {
    plan.secrets.push_back(read_secret(std::move(item)));
  }
  read_onepassword(reader.section("onepassword"), plan.onepassword);
  MappingReader sealed = reader.section("sealed_secrets");
  plan.sealed_secrets.wanted = sealed.there();
  sealed.text("namespace", plan.sealed_secrets.name_space, Need::optional, kName, is_kube_name);
  sealed.text("name", plan.sealed_secrets.name, Need::optional, kName, is_kube_name);
  sealed.finish();
  reader.finish();
}

void read_chart(MappingReader& reader, Plan::Chart& chart, Need need) {
  reader.text("chart", chart.chart, need, kArgumentValue, is_chart);
  reader.text("version", chart.version, Need::optional, kArgumentValue, is_argument);
  reader.text("namespace", chart.name_space, Need::optional, kName, is_kube_name);
  reader.texts("values", chart.values);
  reader.flag("plain_http", chart.plain_http);
}

void read_crds(MappingReader reader, Plan::Crds& target) {
  reader.text("helmfile", target.helmfile, Need::optional, kArgumentValue, is_argument);
  reader.texts("dirs", target.dirs);
  for (MappingReader& item : reader.sections("charts")) {
    Plan::Chart& chart = target.charts.emplace_back();
    read_chart(item, chart, Need::required);
    item.finish();
  }
  reader.finish();
}

Plan::Release read_release(MappingReader reader) {
  Plan::Release release;
  reader.text("name", release.name, Need::required, kName, is_kube_name);
  read_chart(reader, release.chart, Need::optional);
  reader.text("from", release.from);
  reader.texts("needs", release.needs, kName, is_kube_name);
  release.needs_given = reader.has("needs");
  if (release.chart.chart.empty() == release.from.empty() && reader.has("name")) {
    reader.report("", "profile.value",
                  fmt::format("{} has {} of chart and from", reader.path(),
                              release.from.empty() ? "none" : "both"),
                  "name a chart, or the folder of the GitOps tree that has its helmrelease.yaml");
  }
  reader.finish();
  return release;
}

/// Needs that name no release, or that lead in a circle.
void check_needs(MappingReader& reader, const Plan::Core& core) {
  std::vector<std::string> settled;
  const auto known = [&](const std::string& name) {
    return std::any_of(core.releases.begin(), core.releases.end(),
                       [&](const Plan::Release& release) { return release.name == name; });
  };
  const auto is_settled = [&](const std::string& name) {
    return std::find(settled.begin(), settled.end(), name) != settled.end();
  };
  for (const Plan::Release& release : core.releases) {
    for (const std::string& need : release.needs) {
      // A helmfile may have more releases than are listed here.
      if (known(need) || !core.helmfile.empty()) continue;
      reader.report("releases", "profile.value",
                    fmt::format("release {} needs {}, which is not a release", release.name, need),
                    "list it, or take it out of needs");
    }
  }
  for (std::size_t round = 0; round < core.releases.size(); ++round) {
    for (const Plan::Release& release : core.releases) {
      const bool free =
          std::all_of(release.needs.begin(), release.needs.end(),
                      [&](const std::string& need) { return is_settled(need) || !known(need); });
      if (free && !is_settled(release.name)) settled.push_back(release.name);
    }
  }
  for (const Plan::Release& release : core.releases) {
    if (is_settled(release.name)) continue;
    reader.report("releases", "profile.value",
                  fmt::format("release {} needs itself, by way of others", release.name),
                  "break the circle in needs");
    return;
  }
}

void read_core(MappingReader reader, Plan::Core& target) {
  reader.text("helmfile", target.helmfile, Need::optional, kArgumentValue, is_argument);
  for (MappingReader& item : reader.sections("releases")) {
    target.releases.push_back(read_release(std::move(item)));
  }
  if (const auto parallel = reader.whole("parallel", 1, 32)) {
    target.parallel = static_cast<int>(*parallel);
  }
  reader.flag("approve_csrs", target.approve_csrs);
  check_needs(reader, target);
  reader.finish();
}

void read_flux(MappingReader reader, Plan::Flux& target) {
  reader.text("namespace", target.name_space, Need::optional, kName, is_kube_name);
  read_object(reader, "operator", target.deployment);
  read_object(reader, "instance", target.instance);
  reader.text("kustomize_root", target.kustomize_root, Need::optional, kArgumentValue, is_argument);
  reader.texts("kubeconform_schemas", target.kubeconform_schemas, kArgumentValue, is_argument);
  reader.finish();
}

void read_tools(MappingReader reader, std::map<std::string, std::string>& tools) {
  for (const char* name : {"helm", "helmfile", "kustomize", "kubeconform", "op", "cilium"}) {
    std::string path;
    reader.text(name, path, Need::optional, "an absolute path such as /usr/local/bin/helm",
                is_absolute);
    if (!path.empty()) tools[name] = std::move(path);
  }
  reader.finish();
}

void read_times(MappingReader& reader, Plan& plan) {
  MappingReader budgets = reader.section("budgets");
  budgets.duration("secrets", plan.budgets.secrets);
  budgets.duration("crds", plan.budgets.crds);
  budgets.duration("core", plan.budgets.core);
  budgets.duration("validation", plan.budgets.validation);
  budgets.finish();
  MappingReader slo = reader.section("slo");
  slo.duration("talos", plan.slo.talos);
  slo.duration("crds", plan.slo.crds);
  slo.duration("core", plan.slo.core);
  slo.duration("total", plan.slo.total);
  slo.finish();
}

void read_gates(MappingReader reader, Plan::Gates& gates) {
  MappingReader nodes = reader.section("nodes");
  nodes.duration("stable", gates.nodes_stable);
  nodes.finish();
  MappingReader cilium = reader.section("cilium");
  cilium.text("namespace", gates.cilium_namespace, Need::optional, kName, is_kube_name);
  cilium.text("daemonset", gates.cilium_daemonset, Need::optional, kName, is_kube_name);
  read_object(cilium, "operator", gates.cilium_operator);
  cilium.finish();
  MappingReader coredns = reader.section("coredns");
  coredns.text("namespace", gates.coredns_namespace, Need::optional, kName, is_kube_name);
  read_object(coredns, "deployment", gates.coredns_deployment);
  coredns.flag("lookup", gates.coredns_lookup);
  coredns.finish();
  MappingReader services = reader.section("talos_services");
  services.flag("enabled", gates.talos_services);
  services.finish();
  MappingReader csi = reader.section("csi");
  if (csi.there()) gates.csi_phase = 3;
  if (const auto phase = csi.whole("phase", 0, 3)) gates.csi_phase = static_cast<int>(*phase);
  if (gates.csi_phase == 1) {
    csi.report("phase", "profile.value", fmt::format("{} must be 2, 3 or 0", csi.path_of("phase")),
               "say which phase installs CSI: 2 (core) or 3 (Flux)");
  }
  csi.text("namespace", gates.csi_namespace, Need::optional, kName, is_kube_name);
  read_object(csi, "controller", gates.csi_controller);
  read_object(csi, "node", gates.csi_node);
  csi.finish();
  reader.finish();
}

}  // namespace

std::shared_ptr<const KubernetesPlan> read_phases(MappingReader& root) {
  const auto plan = std::make_shared<KubernetesPlan>();
  MappingReader phases = root.section("phases");
  plan->phases = phases.there();
  phases.text("root", plan->root);
  read_namespaces(phases.section("namespaces"), plan->namespaces);
  read_secrets(phases.section("secrets"), *plan);
  read_crds(phases.section("crds"), plan->crds);
  read_core(phases.section("core"), plan->core);
  read_flux(phases.section("flux"), plan->flux);
  read_tools(phases.section("tools"), plan->tools);
  read_times(phases, *plan);
  phases.finish();
  MappingReader gates = root.section("gates");
  const bool has_gates = gates.there();
  read_gates(std::move(gates), plan->gates);
  if (!plan->phases && !has_gates) return nullptr;
  return plan;
}

}  // namespace ichor
