#include "lab/kube/played_helm.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "model/json.h"
#include "phase/kubernetes/json_view.h"
#include "secrets/base64.h"
#include "sim/kube/charts.h"

namespace ichor {

namespace {

constexpr const char* kVersion = "v3.19.0+played-by-the-lab";

ProcessResult said(std::string text) {
  ProcessResult result;
  result.output = SecretString(std::move(text));
  return result;
}

ProcessResult failed(std::string why) {
  ProcessResult result;
  result.exit = 1;
  result.errors = "Error: " + std::move(why);
  return result;
}

std::string value_after(const std::vector<std::string>& words, std::string_view flag) {
  const auto found = std::find(words.begin(), words.end(), flag);
  const bool has = found != words.end() && std::next(found) != words.end();
  return has ? *std::next(found) : std::string();
}

/// The version in helm's arguments, or the one that the name of the chart's file says.
std::string chart_version(const std::vector<std::string>& words) {
  const std::string told = value_after(words, "--version");
  if (!told.empty()) return told;
  const std::string& chart = words.size() > 2 ? words[2] : "";
  if (!chart.ends_with(".tgz")) return "0.0.0";
  const std::string name = chart.substr(0, chart.size() - 4);
  return name.substr(name.rfind('-') + 1);
}

KubeObject namespace_object(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

/// Without its objects: a text of JSON documents.
std::string rendered(const std::vector<KubeObject>& objects) {
  std::string text;
  for (const KubeObject& object : objects) text += "---\n" + object.dump() + "\n";
  return text;
}

}  // namespace

/// What a call of helm is about.
struct PlayedHelm::Asked {
  std::string release;
  std::string name_space;
  std::string chart_version;
  std::string what;  // of get: "metadata" or "values"
  KubeObject values;
};

bool PlayedHelm::plays(const std::string& name) {
  return name.substr(name.rfind('/') + 1) == "helm" && !inner_.find(name);
}

std::optional<std::string> PlayedHelm::find(const std::string& name) {
  if (auto real = inner_.find(name)) return real;
  return plays(name) ? std::optional<std::string>(kProgram) : std::nullopt;
}

Task<Result<ProcessResult>> PlayedHelm::run(Context context, ProcessCall call) {
  if (call.program != kProgram) return inner_.run(context, std::move(call));
  return play(context, std::move(call));
}

Task<Result<ProcessResult>> PlayedHelm::play(Context context, ProcessCall call) {
  const std::vector<std::string>& words = call.arguments;
  const std::string verb = words.empty() ? "" : words.front();
  if (verb == "version") co_return said(kVersion);
  // There is nothing to fetch: charts are made up.
  if (verb == "pull") co_return said("");
  Asked asked;
  const bool gets = verb == "get" && words.size() > 2;
  if (gets) asked.what = words[1];
  if (words.size() > 1) asked.release = gets ? words[2] : words[1];
  asked.name_space = value_after(words, "--namespace");
  asked.chart_version = ::ichor::chart_version(words);
  if (verb == "template") {
    co_return said(rendered(sim::made_up_chart(asked.release, asked.name_space)));
  }
  KubeClient* client = client_();
  if (!client) co_return failed("Kubernetes cluster unreachable");
  const Context limited = context.within(call.limit);
  if (gets) co_return co_await get(limited, *client, std::move(asked));
  if (verb != "upgrade") co_return failed(fmt::format("the lab does not play `helm {}`", verb));
  auto values = parse_json(call.input.reveal());
  if (!values) co_return failed(values.error().message);
  asked.values = *std::move(values);
  co_return co_await upgrade(limited, *client, std::move(asked));
}

Task<CallResult<PlayedHelm::Revision>> PlayedHelm::newest(Context context, KubeClient& client,
                                                          Asked asked) {
  KubeQuery query;
  query.kind = {"", "v1", "Secret"};
  query.name_space = asked.name_space;
  query.labels = fmt::format("owner=helm,name={}", asked.release);
  const auto records = co_await client.list(context, query);
  if (!records) co_return forward_error(records);
  Revision newest;
  for (const KubeObject& secret : records->items) {
    const std::string text = text_at(secret, {"metadata", "labels", "version"});
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number <= newest.number) continue;
    newest.number = number;
    newest.status = text_at(secret, {"metadata", "labels", "status"});
    // As helm has it: base64 within the base64 of every Secret.
    const auto outer = pki::from_base64(text_at(secret, {"data", "release"}));
    const auto inner = outer ? pki::from_base64(*outer) : std::nullopt;
    auto release = inner ? parse_json(*inner) : Result<KubeObject>(KubeObject());
    newest.release = release ? *std::move(release) : KubeObject();
  }
  co_return newest;
}

Task<CallResult<KubeObject>> PlayedHelm::record(Context context, KubeClient& client, Asked asked,
                                                Revision revision) {
  KubeObject release = std::move(revision.release);
  release["name"] = asked.release;
  release["namespace"] = asked.name_space;
  release["version"] = revision.number;
  release["info"]["status"] = revision.status;
  KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", "helm.sh/release.v1"}};
  secret["metadata"]["name"] =
      fmt::format("sh.helm.release.v1.{}.v{}", asked.release, revision.number);
  secret["metadata"]["namespace"] = asked.name_space;
  KubeObject& labels = secret["metadata"]["labels"];
  labels["owner"] = "helm";
  labels["name"] = asked.release;
  labels["status"] = revision.status;
  labels["version"] = std::to_string(revision.number);
  secret["data"]["release"] = pki::base64(pki::base64(release.dump()));
  KubeApply options;
  options.force = true;
  co_return co_await client.apply(context, secret, options);
}

Task<ProcessResult> PlayedHelm::upgrade(Context context, KubeClient& client, Asked asked) {
  const auto last = co_await newest(context, client, asked);
  if (!last) co_return failed(last.error().text);
  if (last->status.starts_with("pending-")) {
    co_return failed("UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress");
  }
  KubeApply force;
  force.force = true;
  const KubeObject space = namespace_object(asked.name_space);
  const auto made = co_await client.apply(context, space, force);
  if (!made) co_return failed(made.error().text);
  Revision next;
  next.number = last->number + 1;
  next.status = last->number > 0 ? "pending-upgrade" : "pending-install";
  next.release["chart"]["metadata"]["name"] = asked.release;
  next.release["chart"]["metadata"]["version"] = asked.chart_version;
  next.release["config"] = asked.values;
  const auto begun = co_await record(context, client, asked, next);
  if (!begun) co_return failed(begun.error().text);
  const std::vector<KubeObject> objects = sim::made_up_chart(asked.release, asked.name_space);
  for (const KubeObject& object : objects) {
    const auto applied = co_await client.apply(context, object, force);
    if (applied) continue;
    next.status = "failed";
    co_await record(context, client, asked, next);
    co_return failed(applied.error().text);
  }
  if (last->number > 0) {
    Revision old = *last;
    old.status = "superseded";
    co_await record(context, client, asked, std::move(old));
  }
  next.status = "deployed";
  const auto ended = co_await record(context, client, asked, next);
  if (!ended) co_return failed(ended.error().text);
  co_return said(
      fmt::format("Release \"{}\" has been upgraded by the helm that the lab plays; "
                  "its objects are made up.\n",
                  asked.release));
}

Task<ProcessResult> PlayedHelm::get(Context context, KubeClient& client, Asked asked) {
  const auto last = co_await newest(context, client, asked);
  if (!last) co_return failed(last.error().text);
  if (last->number == 0) co_return failed("release: not found");
  const KubeObject& values = at(last->release, {"config"});
  if (asked.what == "values") co_return said(values.is_null() ? "{}" : values.dump());
  KubeObject metadata{{"name", asked.release}, {"status", last->status}};
  metadata["version"] = text_at(last->release, {"chart", "metadata", "version"});
  metadata["revision"] = last->number;
  co_return said(metadata.dump());
}

}  // namespace ichor
