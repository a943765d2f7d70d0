#include "phase/kubernetes/helm.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/json.h"
#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

constexpr Duration kLookLimit = std::chrono::minutes(2);
constexpr Duration kSettledLimit = std::chrono::seconds(10);
constexpr const char* kFix = "correct what it names";

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/')); }

std::string selector_of(const WantedRelease& release) {
  return fmt::format("name={},namespace={}", release.name, release.name_space);
}

ProcessCall helm_look(const ToolPlace& place, const WantedRelease& wanted, const char* what) {
  ProcessCall call =
      tool_call(place, "helm",
                {"get", what, wanted.name, "--namespace", wanted.name_space, "--output", "json"});
  call.limit = kLookLimit;
  return call;
}

KubeQuery records_of(const WantedRelease& wanted) {
  KubeQuery query;
  query.kind = {"", "v1", "Secret"};
  query.name_space = wanted.name_space;
  query.labels = fmt::format("owner=helm,name={}", wanted.name);
  return query;
}

/// Locked while a helm installs the release, whichever run of ichor started it.
std::string install_lock(const ToolPlace& place, const WantedRelease& wanted) {
  std::string name = fmt::format("helm-{}-{}.lock", wanted.name_space, wanted.name);
  std::replace(name.begin(), name.end(), '/', '_');
  return fmt::format("{}/{}", place.state_path, name);
}

ProcessCall build_call(const ToolPlace& place, const std::string& file) {
  return helmfile_call(place, file, {"build", "--embed-values"});
}

}  // namespace

ProcessCall helmfile_call(const ToolPlace& place, const std::string& file,
                          std::vector<std::string> arguments) {
  const std::string helm = tool_call(place, "helm", {}).program;
  std::vector<std::string> words{"--helm-binary", helm, "--file", file, "--quiet"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ProcessCall call = tool_call(place, "helmfile", std::move(words));
  call.folder = folder_of(file);
  return call;
}

ProcessCall helmfile_template(const ToolPlace& place, const WantedRelease& release) {
  return helmfile_call(
      place, release.helmfile,
      {"--selector", selector_of(release), "template", "--include-crds", "--skip-tests"});
}

ProcessCall install_call(const ToolPlace& place, const WantedRelease& wanted, Duration limit) {
  ProcessCall call;
  if (!wanted.helmfile.empty()) {
    call = helmfile_call(place, wanted.helmfile, {"--selector", selector_of(wanted), "sync"});
  } else {
    const ChartWords chart = chart_words(place.material.fetched, source_of(wanted));
    std::vector<std::string> words{"upgrade",   wanted.name,   chart.chart,
                                   "--install", "--namespace", wanted.name_space,
                                   "--values",  "-",           "--create-namespace"};
    words.insert(words.end(), chart.flags.begin(), chart.flags.end());
    call = tool_call(place, "helm", std::move(words));
    call.input = SecretString(wanted.values.dump());
  }
  call.limit = limit;
  call.hold = install_lock(place, wanted);
  return call;
}

Task<bool> is_settled(Context context, KubeClient& kube, const WantedRelease& wanted) {
  const KubeQuery query = records_of(wanted);
  const auto records = co_await kube.list(context.within(kSettledLimit), query);
  co_return records && !newest_revision(records->items).status.starts_with("pending-");
}

Task<Looked<std::vector<WantedRelease>>> read_helmfile(Context context, ToolPlace place,
                                                       std::string file) {
  const auto text =
      co_await tool_output(context.within(kLookLimit), place.processes, build_call(place, file));
  if (!text) co_return tl::unexpected(trouble_of(file, text.error(), kFix));
  auto releases = helmfile_releases(text->reveal(), file);
  if (!releases) co_return tl::unexpected(trouble_of(file, releases.error(), kFix));
  co_return *std::move(releases);
}

Task<Looked<DeployedRelease>> read_release(Context context, KubeClient& kube, ToolPlace place,
                                           const WantedRelease& wanted) {
  const std::string key = key_of(wanted);
  // Before the list: what a helm that is gone has written is in it.
  const bool at_work = place.processes.is_held(install_lock(place, wanted));
  const auto records = co_await kube.list(context, records_of(wanted));
  if (!records) co_return tl::unexpected(trouble_of(key, records.error()));
  DeployedRelease deployed = newest_revision(records->items);
  deployed.at_work = at_work;
  if (!deployed.there || deployed.status != "deployed") co_return deployed;
  const auto metadata =
      co_await tool_output(context, place.processes, helm_look(place, wanted, "metadata"));
  const auto values =
      co_await tool_output(context, place.processes, helm_look(place, wanted, "values"));
  if (!metadata || !values) {
    const Error& error = metadata ? values.error() : metadata.error();
    co_return tl::unexpected(trouble_of(key, error, kFix));
  }
  const auto said = parse_json(metadata->reveal());
  auto given = parse_json(values->reveal());
  if (!said || !given) {
    Error error = said ? given.error() : said.error();
    error.message = "the output of helm get: " + error.message;
    co_return tl::unexpected(trouble_of(key, error, kFix));
  }
  deployed.version = text_at(*said, {"version"});
  deployed.values = *std::move(given);
  co_return deployed;
}

}  // namespace ichor
