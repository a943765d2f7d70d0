#include "phase/kubernetes/gate.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "async/task_group.h"
#include "base/mutant.h"
#include "phase/kubernetes/mirror.h"

namespace ichor {

namespace {

/// Changes often come in swarms; they are judged together.
constexpr Duration kSwarm = std::chrono::milliseconds(100);
constexpr std::size_t kToldMax = 3;

class Waiting {
 public:
  Waiting(Context context, GatePlace place, const Gate& gate)
      : context_(context), place_(place), gate_(gate), inner_(*context.scope), mirrors_(under()) {
    for (const KubeQuery& query : gate.watches) {
      watches_.push_back(std::make_unique<KubeMirror>(place.kube, place.random, query, changed_));
    }
  }

  Task<GateEnd> run() {
    const MonoTime began = context_.now();
    for (const auto& watch : watches_) mirrors_.spawn(watch->run(under()));
    GateEnd end;
    while (true) {
      const std::uint64_t rings = changed_.rings();
      end.unmet = co_await look();
      if (end.unmet.empty() && !gate_.once) end.unmet = co_await find_newly_served();
      end.refused = refused_;
      tell(end.unmet);
      if (end.unmet.empty() && steady()) break;
      if (refused_ || (gate_.once && all_tried())) break;
      const Wake wake = co_await pause(rings);
      end.cancelled = wake == Wake::cancelled;
      if (end.cancelled || context_.expired()) break;
    }
    if (end.unmet.empty() && !end.cancelled && !gate_.once && !steady())
      end.unmet.push_back(unsteady());
    end.took = context_.now() - began;
    inner_.cancel();
    co_await mirrors_.join();
    co_return end;
  }

 private:
  Context under() { return context_.under(inner_); }

  Task<std::vector<Unmet>> look() {
    std::vector<Unmet> unmet = judge();
    if (unmet.empty() || gate_.pods.empty() || !all_synced()) {
      view_.pods.clear();
      co_return unmet;
    }
    if (!asked_ || context_.now() - *asked_ >= kReasonPace) {
      asked_ = context_.now();
      KubeObjects pods;
      for (const KubeQuery& query : gate_.pods) {
        auto list = co_await place_.kube.list(context_, query);
        if (!list) continue;  // the reason stays unsaid; the gate does not depend on it
        std::move(list->items.begin(), list->items.end(), std::back_inserter(pods));
      }
      view_.pods = std::move(pods);
    }
    co_return judge();
  }

  /// A kind that was not served when it was last asked for may be by now, with objects that are not
  /// ready: the gate rests on that answer, so it must be a fresh one.
  Task<std::vector<Unmet>> find_newly_served() {
    std::vector<Unmet> unmet;
    if (!gate_.optional_kinds || mutant("old-kinds-trusted")) co_return unmet;
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      if (!watches_[i]->unserved()) continue;
      const auto list = co_await place_.kube.list(context_, gate_.watches[i]);
      const bool unserved = !list && list.error().code == Code::not_found;
      // Its mirror asks again soon, or has just done so; what it lists is judged then.
      if (!unserved) unmet.push_back(newly_served(i));
    }
    co_return unmet;
  }

  Unmet newly_served(std::size_t index) const {
    return {gate_.watches[index].kind.kind, "it is served by now, and not listed yet",
            "give it more time", gate_.fault, false};
  }

  bool all_synced() const {
    return std::all_of(watches_.begin(), watches_.end(),
                       [](const auto& watch) { return watch->synced(); });
  }

  bool all_tried() const {
    return std::all_of(watches_.begin(), watches_.end(), [](const auto& watch) {
      return watch->synced() || watch->trouble().has_value();
    });
  }

  std::vector<Unmet> judge() {
    std::vector<Unmet> unmet;
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const KubeMirror& watch = *watches_[i];
      const bool excused = gate_.optional_kinds && watch.unserved();
      if (!excused && (!watch.synced() || watch.trouble())) unmet.push_back(unseen(i));
    }
    if (!unmet.empty()) return unmet;
    take_view();
    return gate_.judge(view_);
  }

  /// Copies what the mirrors hold. They ring whenever that changes.
  void take_view() {
    if (viewed_ == changed_.rings()) return;
    viewed_ = changed_.rings();
    view_.objects.clear();
    for (const auto& watch : watches_) {
      KubeObjects& objects = view_.objects.emplace_back();
      objects.reserve(watch->objects().size());
      for (const auto& [key, object] : watch->objects()) objects.push_back(object);
    }
  }

  Unmet unseen(std::size_t index) {
    const KubeMirror& watch = *watches_[index];
    const std::string& kind = gate_.watches[index].kind.kind;
    if (watch.unserved()) {
      return {kind, "the API does not serve this kind",
              "apply its CustomResourceDefinition (phase 1)", gate_.fault, false};
    }
    const std::string why = watch.trouble() ? watch.trouble()->text : "not listed yet";
    const bool refused = watch.trouble() && (watch.trouble()->code == Code::unauthenticated ||
                                             watch.trouble()->code == Code::permission_denied);
    if (refused) refused_ = true;
    return {"the Kubernetes API", fmt::format("{}: {}", kind, why),
            refused ? "use a kubeconfig that may read it" : "is an API server up and reachable?",
            "K3", refused};
  }

  /// Whether it has held for long enough; starts to count when it first holds.
  bool steady() {
    if (!judged_met_) judged_met_ = context_.now();
    return context_.now() - *judged_met_ >= gate_.stable;
  }

  Unmet unsteady() const {
    return {gate_.name, fmt::format("it holds, but not for {} yet", to_text(gate_.stable)),
            "give it more time", "K6", false};
  }

  void tell(const std::vector<Unmet>& unmet) {
    if (!unmet.empty()) judged_met_.reset();
    if (unmet == told_) return;
    told_ = unmet;
    if (unmet.empty()) return;
    std::string text = gate_.name + ": ";
    for (std::size_t i = 0; i < std::min(unmet.size(), kToldMax); ++i) {
      text += (i == 0 ? "" : "; ") + to_text(unmet[i]);
    }
    if (unmet.size() > kToldMax) text += fmt::format("; and {} more", unmet.size() - kToldMax);
    Event event;
    event.kind = EventKind::waiting;
    event.at = context_.now();
    event.phase = place_.phase;
    event.text = std::move(text);
    place_.events.emit(event);
  }

  Task<Wake> pause(std::uint64_t rings) {
    Duration longest = kReasonPace;
    if (judged_met_) longest = gate_.stable - (context_.now() - *judged_met_);
    const Wake wake = co_await changed_.rung_since(context_.within(longest), rings);
    if (wake != Wake::signalled) co_return wake;
    co_return co_await sleep_for(context_, kSwarm);
  }

  Context context_;
  GatePlace place_;
  const Gate& gate_;
  CancelScope inner_;
  Bell changed_;
  std::vector<std::unique_ptr<KubeMirror>> watches_;
  TaskGroup mirrors_;
  GateView view_;
  std::optional<std::uint64_t> viewed_;  // the rings at that time
  std::vector<Unmet> told_;
  std::optional<MonoTime> judged_met_;
  bool refused_{false};
  std::optional<MonoTime> asked_;
};

}  // namespace

Task<GateEnd> wait_for(Context context, GatePlace place, const Gate& gate) {
  Waiting waiting(context, place, gate);
  co_return co_await waiting.run();
}

}  // namespace ichor
