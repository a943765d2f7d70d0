#include "phase/kubernetes/tools.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace ichor {

namespace {

constexpr Duration kVersionLimit = std::chrono::seconds(30);
constexpr std::size_t kWordsMax = 800;

std::optional<std::string> path_of(Processes& processes, const KubernetesPlan& plan,
                                   const std::string& name) {
  const auto given = plan.tools.find(name);
  return processes.find(given == plan.tools.end() ? name : given->second);
}

std::vector<std::string> version_arguments(const std::string& name) {
  if (name == "helm") return {"version", "--template", "{{.Version}}"};
  if (name == "kubeconform") return {"-v"};
  if (name == "kustomize") return {"version"};
  return {"--version"};
}

/// Programs that were built by hand have no version; helm's majors differ in their flags.
bool is_usable(const std::string& name, std::string_view version) {
  if (name != "helm") return true;
  return version.starts_with("v3.") || version.starts_with("v4.");
}

std::string last_words(const ProcessResult& result) {
  std::string words = result.errors;
  while (!words.empty() && std::isspace(static_cast<unsigned char>(words.back())) != 0) {
    words.pop_back();
  }
  return words.size() > kWordsMax ? words.substr(words.size() - kWordsMax) : words;
}

Finding unusable(const NeededTool& tool, std::string what, std::string fix) {
  Finding finding;
  finding.id = "L14";
  finding.where = tool.name;
  finding.what = std::move(what);
  finding.why = fmt::format("it is needed {}", tool.why);
  finding.fix = std::move(fix);
  return finding;
}

}  // namespace

std::vector<NeededTool> tools_needed(const KubernetesPlan& plan, int first, int last) {
  std::vector<NeededTool> needed;
  const auto need = [&](const char* name, const char* why) {
    const bool known = std::any_of(needed.begin(), needed.end(),
                                   [&](const NeededTool& tool) { return tool.name == name; });
    if (!known) needed.push_back({name, why});
  };
  const auto runs = [&](int phase) { return first <= phase && phase <= last; };
  const bool op = std::any_of(plan.secrets.begin(), plan.secrets.end(),
                              [](const auto& item) { return !item.onepassword.empty(); }) &&
                  plan.onepassword.way == KubernetesPlan::OnePasswordWay::op;
  if (runs(0) && op) need("op", "to read the secrets of phase 0 from 1Password");
  if (runs(1) && !plan.crds.helmfile.empty()) {
    need("helmfile", "to render the CRDs of phase 1");
    need("helm", "by helmfile");
  }
  if (runs(1) && !plan.crds.charts.empty()) need("helm", "to render the CRDs of phase 1");
  if (runs(2) && !plan.core.helmfile.empty()) {
    need("helmfile", "to install the releases of phase 2");
    need("helm", "by helmfile");
  }
  if (runs(2) && !plan.core.releases.empty()) need("helm", "to install the releases of phase 2");
  if (runs(3) && !plan.flux.kustomize_root.empty()) {
    need("kustomize", "to build phases.flux.kustomize_root");
    need("kubeconform", "to check what kustomize builds");
  }
  return needed;
}

std::vector<Finding> missing_tools(const KubernetesPlan& plan, Processes& processes,
                                   const std::vector<NeededTool>& needed) {
  std::vector<Finding> findings;
  for (const NeededTool& tool : needed) {
    if (path_of(processes, plan, tool.name)) continue;
    findings.push_back(
        unusable(tool, fmt::format("the program {} is not installed", tool.name),
                 fmt::format("install it, or name it in the profile: phases.tools.{}", tool.name)));
  }
  return findings;
}

bool has_tool(const KubernetesPlan& plan, Processes& processes, const std::string& name) {
  return path_of(processes, plan, name).has_value();
}

ProcessCall tool_call(const ToolPlace& place, const std::string& name,
                      std::vector<std::string> arguments) {
  ProcessCall call;
  call.program = path_of(place.processes, place.material.plan, name).value_or(name);
  call.arguments = std::move(arguments);
  for (const auto& [variable, value] : place.material.environment) {
    // Keys and tokens are for the program that they belong to.
    if (variable.starts_with("OP_") && name != "op") continue;
    if (variable.starts_with("SOPS_") && name != "helmfile") continue;
    call.variables[variable] = value;
  }
  call.variables["KUBECONFIG"] = fmt::format("{}/{}", place.state_path, kToolsKubeconfig);
  return call;
}

ProcessCall tool_call(const KubeWorld& world, const KubernetesMaterial& material,
                      const std::string& name, std::vector<std::string> arguments) {
  return tool_call({world.processes, world.state_path, material}, name, std::move(arguments));
}

Task<Result<SecretString>> tool_output(Context context, KubeWorld& world, ProcessCall call) {
  return tool_output(context, world.processes, std::move(call));
}

Task<Result<SecretString>> tool_output(Context context, Processes& processes, ProcessCall call) {
  const std::string program = call.program.substr(call.program.rfind('/') + 1);
  const std::string verb = call.arguments.empty() ? "" : call.arguments.front();
  auto ended = co_await processes.run(context, std::move(call));
  if (!ended) co_return forward_error(ended);
  if (ended->exit == 0) co_return std::move(ended->output);
  co_return fail(Errc::invalid, fmt::format("{} {} ended with {}: {}", program, verb, ended->exit,
                                            last_words(*ended)));
}

Task<std::vector<Finding>> check_tools(Context context, KubeWorld& world,
                                       const KubernetesMaterial& material,
                                       std::vector<NeededTool> needed) {
  std::vector<Finding> findings = missing_tools(material.plan, world.processes, needed);
  for (const NeededTool& tool : needed) {
    const auto path = path_of(world.processes, material.plan, tool.name);
    if (!path) continue;
    ProcessCall call = tool_call(world, material, tool.name, version_arguments(tool.name));
    call.limit = kVersionLimit;
    const auto version = co_await tool_output(context, world, std::move(call));
    if (!version) {
      findings.push_back(unusable(tool, fmt::format("{}: {}", *path, version.error().message),
                                  "install a version that runs on this machine"));
    } else if (!is_usable(tool.name, version->reveal())) {
      findings.push_back(unusable(
          tool, fmt::format("{} is {}, and versions 3 and 4 are known", *path, version->reveal()),
          "install a release of helm 3 or 4"));
    }
  }
  co_return findings;
}

}  // namespace ichor
