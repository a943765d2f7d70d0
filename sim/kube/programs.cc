#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "async/slot.h"
#include "phase/kubernetes/json_view.h"
#include "sim/hang.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/ports.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 8> kNames{
    "helm upgrade",   "helm get",      "helm template",   "helm version",
    "helmfile build", "helmfile sync", "kustomize build", "op read"};

std::string base_name(const std::string& program) { return program.substr(program.rfind('/') + 1); }

/// The word that says what the program is to do.
std::string verb_of(const ProcessCall& call) {
  const std::vector<std::string>& words = call.arguments;
  if (base_name(call.program) != "helmfile") return words.empty() ? "" : words.front();
  const std::array<std::string_view, 3> verbs{"build", "sync", "template"};
  for (const std::string& word : words) {
    if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return word;
  }
  return words.empty() ? "" : words.front();
}

std::string value_after(const ProcessCall& call, std::string_view flag) {
  const auto found = std::find(call.arguments.begin(), call.arguments.end(), flag);
  const bool has = found != call.arguments.end() && std::next(found) != call.arguments.end();
  return has ? *std::next(found) : std::string();
}

/// "name=flux-operator,namespace=flux-system".
std::string selected_release(const ProcessCall& call) {
  const std::string selector = value_after(call, "--selector");
  constexpr std::string_view start = "name=";
  return selector.substr(start.size(), selector.find(',') - start.size());
}

bool installs(const ProcessCall& call) {
  const std::string_view name = program_name(call);
  return name == "helm upgrade" || name == "helmfile sync";
}

ProcessResult said(std::string text, int exit = 0, std::string errors = {}) {
  ProcessResult result;
  result.exit = exit;
  result.output = SecretString(std::move(text));
  result.errors = std::move(errors);
  return result;
}

}  // namespace

std::string_view program_name(const ProcessCall& call) {
  const std::string name = fmt::format("{} {}", base_name(call.program), verb_of(call));
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? "another program" : *found;
}

std::optional<std::string> SimPrograms::find(const std::string& name) {
  if (name == "cilium") return std::nullopt;
  return "/usr/local/bin/" + base_name(name);
}

bool SimPrograms::is_held(const std::string& hold) { return world_.kube()->helm().holds(hold); }

Task<Result<ProcessResult>> SimPrograms::run(Context context, ProcessCall call) {
  const std::string_view what = program_name(call);
  if (world_.crash_here(process_, {CrashSite::before_call, what})) co_await hang(world_.clock());
  world_.note_program(process_, call);
  Result<ProcessResult> result;
  if (installs(call)) {
    result = co_await install(context, std::move(call));
  } else {
    result = co_await look(context, std::move(call));
  }
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  if (world_.crash_here(process_, {CrashSite::after_call, what})) co_await hang(world_.clock());
  co_return result;
}

Task<Result<ProcessResult>> SimPrograms::install(Context context, ProcessCall call) {
  SimKubernetes& kube = *world_.kube();
  if (kube.helm().holds(call.hold)) co_return fail(Errc::locked, "an earlier helm still runs");
  const bool by_helmfile = base_name(call.program) == "helmfile";
  const std::string release = by_helmfile ? selected_release(call) : call.arguments[1];
  const WantedRelease* wanted = kube.stack().wants(release);
  std::string version = wanted ? wanted->version : "0.0.0";
  KubeObject values = wanted ? wanted->values : KubeObject();
  if (!by_helmfile) {
    version = value_after(call, "--version");
    values = KubeObject::parse(call.input.reveal(), nullptr, false);
  }
  KubeRequest request;
  request.process = process_;
  request.call = Call::install_release;
  request.ref = {{"", "", "Release"}, wanted ? wanted->name_space : "", release};
  request.program = &call;
  world_.note_kube_request(request);
  const KubeRequest told = request;
  const auto slot = std::make_shared<Slot<Helm::Ended>>();
  SimWorld& world = world_;
  const Helm::JobId job =
      kube.helm().upgrade(process_, release, version, values, [slot, told, &world](auto ended) {
        KubeRequest effect = told;
        effect.program = nullptr;
        if (ended.exit == 0) world.note_kube_effect(effect);
        slot->set(std::move(ended));
      });
  kube.helm().hold(job, call.hold);
  const Wake wake = co_await Slot<Helm::Ended>::ready(slot, context.within(call.limit));
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  if (wake != Wake::signalled) kube.helm().stop(job);
  world_.note_kube_reply(request, nullptr);
  if (wake == Wake::cancelled) co_return fail(Errc::cancelled, "helm was stopped");
  if (wake == Wake::timed_out) co_return fail(Errc::out_of_time, "helm did not end in time");
  Helm::Ended end = slot->take();
  co_return said(std::move(end.output), end.exit, std::move(end.errors));
}

ProcessResult SimPrograms::helm_says(const ProcessCall& call) const {
  const SimKubernetes& kube = *world_.kube();
  const std::string verb = verb_of(call);
  if (verb == "version") return said(kube.helm().version);
  if (verb == "template") return said(kube.stack().crds_text);
  if (verb != "get") return said("");
  if (!kube.up()) return said("", 1, "Error: Kubernetes cluster unreachable");
  const std::string& release = call.arguments[2];
  if (call.arguments[1] == "metadata") {
    const auto version = kube.helm().version_of(release);
    if (!version) return said("", 1, "Error: release: not found");
    return said(KubeObject{{"name", release}, {"version", *version}}.dump());
  }
  const auto values = kube.helm().values_of(release);
  return values ? said(values->dump()) : said("", 1, "Error: release: not found");
}

Task<Result<ProcessResult>> SimPrograms::look(Context context, ProcessCall call) {
  const SimKubernetes& kube = *world_.kube();
  const Duration takes =
      milliseconds(100) +
      Duration(static_cast<Duration::rep>(static_cast<double>(Duration(milliseconds(200)).count()) *
                                          kube.helm().slowness));
  const Wake wake = co_await sleep_for(context.within(call.limit), takes);
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  const std::string program = base_name(call.program);
  if (wake == Wake::cancelled) co_return fail(Errc::cancelled, program + " was stopped");
  if (wake == Wake::timed_out) {
    co_return fail(Errc::out_of_time, program + " did not end in time");
  }
  if (program == "helm") co_return helm_says(call);
  const std::string verb = verb_of(call);
  if (program == "helmfile" && verb == "build") co_return said(kube.stack().helmfile_text);
  if (program == "op" && verb == "read") co_return said(kube.stack().onepassword_value);
  if (program == "kustomize" && verb == "build") co_return said("apiVersion: v1\nkind: List\n");
  co_return said("1.2.3");
}

Task<CallResult<WebAnswer>> SimConnect::get(Context context, std::string url,
                                            const SecretString& token) {
  world_.note_web(process_, url);
  const bool known = token == world_.kube()->stack().material.connect_token;
  const Wake wake = co_await sleep_for(context, milliseconds(20));
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  if (wake != Wake::signalled) {
    co_return tl::unexpected(CallError{
        Call::kube_read, Progress::sent, TlsVerdict::fine,
        wake == Wake::cancelled ? Code::cancelled : Code::deadline_exceeded, "no answer"});
  }
  WebAnswer answer;
  answer.status = known ? 200 : 401;
  const std::string path = url.substr(url.find("/v1"));
  if (path.starts_with("/v1/vaults?")) {
    answer.body = SecretString(R"([{"id":"v1","name":"kubernetes"}])");
  } else if (path.find("/items?") != std::string::npos) {
    answer.body = SecretString(R"([{"id":"i1","title":"connect"}])");
  } else {
    KubeObject item;
    item["fields"] = {{{"label", "token"}, {"value", world_.kube()->stack().onepassword_value}}};
    answer.body = SecretString(item.dump());
  }
  co_return answer;
}

}  // namespace ichor::sim
