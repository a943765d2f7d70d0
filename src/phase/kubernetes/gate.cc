#include "phase/kubernetes/gate.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace ichor {

namespace {

constexpr std::size_t kToldMax = 3;
constexpr Duration kAgain = std::chrono::seconds(1);

}  // namespace

Unmet GateState::unsteady(const std::string& gate) const {
  return {gate, fmt::format("it holds, but not for {} yet", to_text(stable)), "give it more time",
          "K6", false};
}

std::string summary_of(const std::vector<Unmet>& unmet) {
  std::string text;
  for (std::size_t i = 0; i < std::min(unmet.size(), kToldMax); ++i) {
    text += (i == 0 ? "" : "; ") + to_text(unmet[i]);
  }
  if (unmet.size() > kToldMax) text += fmt::format("; and {} more", unmet.size() - kToldMax);
  return text;
}

GateKeeper::GateKeeper(Context context, const GateWorld& place, Gate gate, KubeMirrors& mirrors,
                       Bell& changed, GateState& state)
    : context_(context),
      place_(place),
      gate_(std::move(gate)),
      changed_(changed),
      asking_(context),
      state_(state) {
  for (const KubeQuery& query : gate_.watches) {
    watches_.push_back(&mirrors.of(query));
    view_.objects.push_back(&watches_.back()->objects());
  }
  state_.stable = gate_.stable;
  if (place.profile) gate_.pace = place.profile->budgets.poll;
}

bool GateKeeper::all_synced() const {
  return std::all_of(watches_.begin(), watches_.end(),
                     [](const auto* watch) { return watch->synced(); });
}

bool GateKeeper::has_tried() const {
  const bool answered = std::all_of(watches_.begin(), watches_.end(), [](const auto* watch) {
    return watch->synced() || watch->trouble().has_value();
  });
  const bool probed = !gate_.probe || probed_ || !judged_.empty();
  return answered && probed && !asks_;
}

void GateKeeper::look() {
  const std::uint64_t changes =
      std::accumulate(watches_.begin(), watches_.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto* watch) { return sum + watch->changes(); });
  const bool fresh = judged_at_ != changes;
  if (fresh) judged_ = judge();
  judged_at_ = changes;
  if (!judged_.empty()) {
    probed_.reset();
    ask_why();
    if (fresh || !concluded_) conclude(judged_);
    concluded_ = true;
    return;
  }
  concluded_ = false;
  view_.pods.clear();
  if (!gate_.probe) return conclude({});
  ask_probe();
  if (!probed_) {
    state_.seen = false;
    state_.held_since.reset();
    return;
  }
  state_.notes = probed_->notes;
  state_.over = probed_->over;
  state_.refused = probed_->refused;
  conclude(probed_->unmet);
}

void GateKeeper::conclude(std::vector<Unmet> unmet) {
  state_.unmet = std::move(unmet);
  if (!state_.unmet.empty()) {
    state_.held_since.reset();
    return;
  }
  state_.ever_held = true;
  if (!state_.held_since) state_.held_since = context_.now();
}

std::vector<Unmet> GateKeeper::judge() {
  std::vector<Unmet> unmet;
  state_.refused = false;
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    const KubeMirror& watch = *watches_[i];
    const bool excused = gate_.optional_kinds && watch.unserved();
    if (!excused && (!watch.synced() || watch.trouble())) unmet.push_back(unseen(i));
  }
  // A kind that is not served is an answer as well.
  state_.seen = std::all_of(watches_.begin(), watches_.end(), [](const auto* watch) {
    return watch->unserved() || (watch->synced() && !watch->trouble());
  });
  if (!unmet.empty()) return unmet;
  return gate_.judge ? gate_.judge(view_) : unmet;
}

Unmet GateKeeper::unseen(std::size_t index) {
  const KubeMirror& watch = *watches_[index];
  const std::string& kind = gate_.watches[index].kind.kind;
  if (watch.unserved()) {
    return {kind, "the API does not serve this kind",
            "apply its CustomResourceDefinition (phase 1)", gate_.fault, false};
  }
  const std::string why = watch.trouble() ? watch.trouble()->text : "not listed yet";
  const bool refused = watch.trouble() && (watch.trouble()->code == Code::unauthenticated ||
                                           watch.trouble()->code == Code::permission_denied);
  if (refused) state_.refused = true;
  return {"the Kubernetes API", fmt::format("{}: {}", kind, why),
          refused ? "use a kubeconfig that may read it" : "is an API server up and reachable?",
          "K3", refused};
}

void GateKeeper::ask_why() {
  if (gate_.pods.empty() || !all_synced()) {
    view_.pods.clear();
    return;
  }
  if (asks_ || (listed_at_ && context_.now() - *listed_at_ < kReasonPace)) return;
  asks_ = true;
  listed_at_ = context_.now();
  asking_.spawn(list_pods());
}

Task<void> GateKeeper::list_pods() {
  SeenObjects pods;
  for (const KubeQuery& query : gate_.pods) {
    auto list = co_await place_.kube->list(context_, query);
    if (!list) continue;  // the reason stays unsaid; the gate does not depend on it
    for (SeenObject& pod : list->items.shared()) pods.push_back(std::move(pod));
  }
  view_.pods = std::move(pods);
  asks_ = false;
  judged_at_.reset();
  changed_.ring();
}

void GateKeeper::ask_probe() {
  const bool due = !probed_ || (!probed_->unmet.empty() && !probed_->over &&
                                context_.now() - probed_at_ >= gate_.pace);
  if (asks_ || !due) return;
  asks_ = true;
  asking_.spawn(run_probe());
}

void GateKeeper::ask_again() {
  ++asked_again_;
  probed_.reset();
  judged_at_.reset();
}

Task<void> GateKeeper::run_probe() {
  const int asked_again = asked_again_;
  Probed probed = co_await gate_.probe(context_, place_);
  asks_ = false;
  if (asked_again == asked_again_) {
    probed_ = std::move(probed);
    probed_at_ = context_.now();
    state_.seen = true;
  }
  changed_.ring();
}

MonoTime GateKeeper::due() const {
  if (asks_) return kNever;
  if (state_.holds()) {
    return state_.is_steady(context_.now()) ? kNever : later(*state_.held_since, state_.stable);
  }
  const bool explains = !judged_.empty() && !gate_.pods.empty() && all_synced();
  if (explains && listed_at_) return later(*listed_at_, kReasonPace);
  if (judged_.empty() && probed_ && !probed_->over) return later(probed_at_, gate_.pace);
  return kNever;
}

namespace {

/// One gate, waited for by itself.
class Waiting {
 public:
  Waiting(Context context, const GateWorld& place, const Gate& gate)
      : context_(context),
        place_(place),
        inner_(*context.scope),
        mirrors_(context.under(inner_), place.kube, place.random, changed_),
        keeper_(context.under(inner_), place, gate, mirrors_, changed_, state_) {}

  Task<GateEnd> run() {
    const MonoTime began = context_.now();
    const bool once = keeper_.gate().once;
    GateEnd end;
    while (true) {
      const std::uint64_t rings = changed_.rings();
      keeper_.look();
      tell(state_.unmet);
      const bool holds = state_.holds() && (once || state_.is_steady(context_.now()));
      bool confirmed = holds;
      if (holds && !once) confirmed = co_await is_confirmed();
      if (confirmed) break;
      if (state_.refused || state_.over || (once && keeper_.has_tried())) break;
      const Wake wake = co_await pause(rings, holds);
      end.cancelled = wake == Wake::cancelled;
      if (end.cancelled || context_.expired()) {
        // Whoever was asked last hears of the end as well, and says what is missing.
        while (!context_.cancelled() && keeper_.asks()) {
          co_await changed_.rung_since(patient(), changed_.rings());
        }
        if (!holds) keeper_.look();
        if (holds) state_.unmet.push_back(newly_served());
        break;
      }
    }
    end.unmet = state_.unmet;
    end.notes = state_.notes;
    end.refused = state_.refused;
    const bool open = !end.cancelled && end.unmet.empty() && !once;
    if (open && !state_.is_steady(context_.now())) {
      end.unmet.push_back(state_.unsteady(keeper_.gate().name));
    }
    end.took = context_.now() - began;
    inner_.cancel();
    co_await keeper_.join();
    co_await mirrors_.join();
    co_return end;
  }

 private:
  /// A kind that was not served when it was last asked for may be by now, with objects that are not
  /// ready: the gate rests on that answer, so it must be a fresh one.
  Task<bool> is_confirmed() {
    if (!keeper_.gate().optional_kinds) co_return true;
    co_return co_await mirrors_.are_still_unserved(context_);
  }

  Unmet newly_served() const {
    return {keeper_.gate().name, "a kind that was not served may be by now, and is not listed yet",
            "give it more time", keeper_.gate().fault, false};
  }

  void tell(const std::vector<Unmet>& unmet) {
    if (unmet == told_) return;
    told_ = unmet;
    if (unmet.empty()) return;
    Event event;
    event.kind = EventKind::waiting;
    event.at = context_.now();
    event.phase = place_.phase;
    event.text = keeper_.gate().name + ": " + summary_of(unmet);
    place_.events.emit(event);
  }

  /// Without a deadline.
  Context patient() const { return {context_.clock, context_.scope, kNever}; }

  Task<Wake> pause(std::uint64_t rings, bool holds) {
    // One that holds and is not confirmed is asked about again in a moment.
    if (holds) co_return co_await sleep_for(context_, kAgain);
    const Context limited = context_.until(keeper_.due()).within(kReasonPace);
    const Wake wake = co_await changed_.rung_since(limited, rings);
    if (wake != Wake::signalled) co_return wake;
    co_return co_await sleep_for(context_, kSwarm);
  }

  Context context_;
  GateWorld place_;
  CancelScope inner_;
  Bell changed_;
  KubeMirrors mirrors_;
  GateState state_;
  GateKeeper keeper_;
  std::vector<Unmet> told_;
};

}  // namespace

Task<GateEnd> wait_for(Context context, GateWorld place, const Gate& gate) {
  Waiting waiting(context, place, gate);
  co_return co_await waiting.run();
}

}  // namespace ichor
