#include "engine/kube_look.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/course.h"
#include "phase/kubernetes/crds_phase.h"
#include "phase/kubernetes/csr.h"
#include "phase/kubernetes/difference.h"
#include "phase/kubernetes/gate_table.h"
#include "phase/kubernetes/manifests.h"
#include "phase/kubernetes/onepassword.h"
#include "phase/kubernetes/release_gate.h"
#include "phase/kubernetes/tree_check.h"
#include "secrets/base64.h"
#include "wait/backoff.h"

namespace ichor {

namespace {

/// Questions at the same time.
constexpr int kAtOnce = 8;
constexpr Duration kReadLimit = std::chrono::seconds(30);

KubeQuery all_requests() {
  return {{"certificates.k8s.io", "v1", "CertificateSigningRequest"}, {}, {}, {}};
}

KubeObject secret_of(const KubernetesPlan::SecretItem& item,
                     const std::map<std::string, SecretString>& values) {
  KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", item.type}};
  secret["metadata"]["name"] = item.name;
  secret["metadata"]["namespace"] = item.name_space;
  for (const auto& [key, value] : values) secret["data"][key] = pki::base64(value.reveal());
  return secret;
}

ProcessCall chart_call(const ToolPlace& place, const KubernetesPlan::Chart& chart) {
  const ChartWords words = chart_words(place.material.fetched, source_of(chart));
  ProcessCall call =
      tool_call(place, "helm", template_words(chart_name(chart.chart), chart.name_space, words));
  call.input = SecretString(values_of(place.material, chart).dump());
  return call;
}

}  // namespace

KubeLook::KubeLook(Context context, KubeWorld& world, const KubernetesMaterial& material,
                   const ClusterProfile& profile, std::string_view phase, KubeView& view,
                   Bell& changed)
    : context_(context),
      world_(world),
      material_(material),
      profile_(profile),
      tools_(tools()),
      place_{world.clock, world.random, &world.kube, world.events, phase,
             &profile,    world.talos,  world.pods,  &tools_},
      view_(view),
      changed_(changed),
      mirrors_(context, &world.kube, world.random, changed),
      looks_(context) {}

void KubeLook::say(EventKind kind, std::string text, int attempt) const {
  Event event;
  event.kind = kind;
  event.at = context_.now();
  event.phase = place_.phase;
  event.text = std::move(text);
  event.attempt = attempt;
  world_.events.emit(event);
}

void KubeLook::judge() {
  for (const auto& [key, keeper] : keepers_) keeper->look();
  if (!requests_ || requests_->changes() == requests_at_) return;
  requests_at_ = requests_->changes();
  view_.requests.clear();
  for (const KubeObject& csr : requests_->objects()) {
    CsrVerdict verdict = judge_csr(csr, profile_);
    if (verdict.kind == CsrVerdict::Kind::not_ours) continue;
    view_.requests.push_back({&csr, std::move(verdict)});
  }
}

void KubeLook::ask(const std::vector<KubeRead>& reads) {
  next_ = kNever;
  // Whoever was called off wants no more answers.
  if (context_.cancelled()) return;
  for (const KubeRead& read : reads) {
    std::visit([this](const auto& one) { ask(one); }, read);
  }
}

bool KubeLook::asks() const {
  return std::any_of(keepers_.begin(), keepers_.end(),
                     [](const auto& keeper) { return keeper.second->asks(); });
}

MonoTime KubeLook::due() const {
  MonoTime due = next_;
  for (const auto& [key, keeper] : keepers_) due = std::min(due, keeper->due());
  return due;
}

Task<bool> KubeLook::refresh(Context context) { return mirrors_.refresh(context); }

Task<void> KubeLook::join() {
  co_await looks_.join();
  for (const auto& [key, keeper] : keepers_) co_await keeper->join();
  co_await mirrors_.join();
}

template <class T, class Start>
void KubeLook::bring(Seen<T>& seen, Start start, std::uint64_t since, Duration pace) {
  Asked& asked = asked_[&seen];
  if (asked.runs) return;
  const bool answered = seen.value || seen.trouble;
  const bool tries_again = seen.trouble && !seen.trouble->final;
  MonoTime due = asked.again_at;
  if (answered && seen.turn >= since && !tries_again) {
    if (pace == Duration::max()) return;
    due = later(seen.at, pace);
  }
  if (due > context_.now()) {
    next_ = std::min(next_, due);
    return;
  }
  // One that ends makes room, and rings.
  if (running_ >= kAtOnce) return;
  ++running_;
  asked.runs = true;
  looks_.spawn(take<T>(seen, asked, start()));
}

template <class T>
Task<void> KubeLook::take(Seen<T>& seen, Asked& asked, Task<Looked<T>> answer) {
  const MonoTime began = context_.now();
  const std::uint64_t turn = ++view_.turns;
  Looked<T> looked = co_await std::move(answer);
  if (!seen.value && !seen.trouble) seen.first = began;
  seen.at = began;
  seen.turn = turn;
  if (looked) {
    seen.value = *std::move(looked);
    seen.trouble.reset();
    asked.failures = 0;
  } else {
    seen.trouble = std::move(looked).error();
    if (!seen.trouble->final && !context_.cancelled()) {
      ++asked.failures;
      asked.again_at =
          later(context_.now(), read_delay(asked.failures, profile_.retry, world_.random));
      say(EventKind::retrying, to_text(seen.trouble->unmet), asked.failures);
    }
  }
  asked.runs = false;
  --running_;
  ++answers_;
  changed_.ring();
}

void KubeLook::keep(std::string key, Gate gate) {
  GateState& state = view_.gates[key];
  auto keeper =
      std::make_unique<GateKeeper>(context_, place_, std::move(gate), mirrors_, changed_, state);
  keeper->look();
  keepers_[std::move(key)] = std::move(keeper);
  ++answers_;
  changed_.ring();
}

void KubeLook::keep_fresh(const std::string& key, std::uint64_t since) {
  GateState& state = view_.gates[key];
  if (state.turn >= since) return;
  Asked& asked = asked_[&state];
  if (asked.runs) return;
  if (asked.again_at > context_.now()) {
    next_ = std::min(next_, asked.again_at);
    return;
  }
  asked.runs = true;
  looks_.spawn(list_again(*keepers_.at(key), state, asked));
}

Task<void> KubeLook::list_again(GateKeeper& keeper, GateState& state, Asked& asked) {
  const std::uint64_t turn = ++view_.turns;
  if (co_await mirrors_.refresh(context_.within(kReadLimit), keeper.gate().watches)) {
    state.turn = turn;
    asked.failures = 0;
    keeper.ask_again();
  } else {
    ++asked.failures;
    asked.again_at =
        later(context_.now(), read_delay(asked.failures, profile_.retry, world_.random));
  }
  asked.runs = false;
  ++answers_;
  changed_.ring();
}

void KubeLook::ask(const ReadGate& read) {
  const std::string key(read.name);
  if (!keepers_.contains(key)) keep(key, make_gate(read.name, {material_.plan, read.names}));
  keep_fresh(key, read.since);
}

void KubeLook::ask(const ReadWorkloads& read) {
  const std::string key = gate_key(*read.release);
  if (!keepers_.contains(key)) keep(key, release_gate(*read.release));
  keep_fresh(key, read.since);
}

void KubeLook::ask(const ReadRequests&) {
  if (!requests_) requests_ = &mirrors_.of(all_requests());
}

void KubeLook::ask(const ReadObject& read) {
  bring(view_.objects[read.ref], [&] { return get(read.ref); });
}

void KubeLook::ask(const ReadDifference& read) {
  bring(
      view_.differences[read.object], [&] { return compare(*read.object, read.force); },
      read.since);
}

void KubeLook::ask(const ReadHelmfile& read) {
  bring(view_.helmfiles[read.file], [&] { return read_helmfile(context_, tools_, read.file); });
}

void KubeLook::ask(const ReadCrds& read) {
  const void* const key = read.chart ? static_cast<const void*>(read.chart) : read.release;
  bring(view_.crds[key], [&] { return render(read); });
}

void KubeLook::ask(const ReadSecret& read) {
  bring(view_.secrets[read.item], [&] { return fetch_secret(*read.item); });
}

void KubeLook::ask(const ReadRelease& read) {
  bring(
      view_.releases[key_of(*read.release)],
      [&] { return read_release(context_, world_.kube, tools_, *read.release); }, read.since,
      read.pace);
}

void KubeLook::ask(const ReadTree&) {
  bring(view_.tree, [&] { return check_tree_now(); });
}

Task<Looked<KubeObject>> KubeLook::get(KubeRef ref) {
  auto found = co_await world_.kube.get(context_.within(kReadLimit), ref);
  if (found) co_return *std::move(found);
  if (found.error().code == Code::not_found) co_return KubeObject(nullptr);
  co_return tl::unexpected(trouble_of(to_text(ref), found.error()));
}

Task<Looked<Difference>> KubeLook::compare(const KubeObject& object, bool force) {
  const Context context = context_.within(kReadLimit);
  const KubeRef ref = ref_of(object);
  Difference found;
  found.object = to_text(ref);
  found.change = "none";
  const auto live = co_await world_.kube.get(context, ref);
  const bool missing = !live && live.error().code == Code::not_found;
  if (!live && !missing) co_return tl::unexpected(trouble_of(found.object, live.error()));
  KubeApply options;
  options.dry_run = true;
  options.force = force;
  const auto wanted = co_await world_.kube.apply(context, object, options);
  if (!wanted) co_return tl::unexpected(trouble_of(found.object, wanted.error()));
  if (missing) {
    found.change = "create";
    co_return found;
  }
  found.lines = difference(*live, *wanted);
  if (!found.lines.empty()) found.change = "update";
  co_return found;
}

Task<Looked<KubeObjects>> KubeLook::render(ReadCrds read) {
  const std::string source = read.chart ? read.chart->chart : material_.plan.crds.helmfile;
  constexpr const char* kFix = "correct the chart, its version or its values";
  ProcessCall call =
      read.chart ? chart_call(tools_, *read.chart) : helmfile_template(tools_, *read.release);
  const auto text = co_await tool_output(context_, world_.processes, std::move(call));
  if (!text) co_return tl::unexpected(trouble_of(source, text.error(), kFix));
  auto objects = objects_of(text->reveal(), source);
  if (!objects) co_return tl::unexpected(trouble_of(source, objects.error(), kFix));
  KubeObjects crds = only_kind(*std::move(objects), "CustomResourceDefinition");
  if (read.owner) mark_for_release(crds, *read.owner);
  co_return crds;
}

Task<Looked<KubeObject>> KubeLook::fetch_secret(const KubernetesPlan::SecretItem& item) {
  const auto values = co_await read_onepassword(context_, world_, material_, item.onepassword);
  if (values) co_return secret_of(item, *values);
  Trouble trouble = trouble_of(
      fmt::format("Secret/{}/{}", item.name_space, item.name), values.error(),
      "check token, vault, item and field in 1Password, and phases.secrets in the profile");
  trouble.unmet.fault = "K4";
  co_return tl::unexpected(std::move(trouble));
}

Task<Looked<TreeVerdict>> KubeLook::check_tree_now() {
  TreeVerdict verdict;
  verdict.fault = co_await check_tree(context_, tools_, profile_.talos.kubernetes_version);
  co_return verdict;
}

}  // namespace ichor
