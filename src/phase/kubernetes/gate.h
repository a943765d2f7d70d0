#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "async/task_group.h"
#include "model/cluster_profile.h"
#include "model/unmet.h"
#include "phase/kubernetes/judge.h"
#include "phase/kubernetes/mirror.h"
#include "port/events.h"
#include "port/kube_client.h"
#include "port/pod_ports.h"
#include "port/random.h"
#include "port/talos_api.h"

namespace ichor {

struct ToolPlace;

/// Where a gate is waited for. What is null cannot be asked.
struct GateWorld {
  Clock& clock;
  Random& random;
  KubeClient* kube;  // null: only gates that watch nothing can be waited for
  EventSink& events;
  std::string_view phase;  // lives for ever
  const ClusterProfile* profile{nullptr};
  TalosApi* talos{nullptr};
  PodPorts* pods{nullptr};
  const ToolPlace* tools{nullptr};
};

/// What was seen of the kinds that a gate watches.
struct GateView {
  std::vector<const SeenObjects*> objects;  // as Gate::watches asks
  SeenObjects pods;                         // as Gate::pods asks; empty as long as all is well
};

/// What was learned by asking, where no object says it.
struct Probed {
  std::vector<Unmet> unmet;    // empty: all is well
  std::vector<Finding> notes;  // what the operator should know
  bool over{false};            // asking again would not help
  bool refused{false};         // we are not let in, and never will be
};

/// Something that must hold before the next thing starts. `judge` is pure.
struct Gate {
  std::string name;  // "nodes"
  std::vector<KubeQuery> watches;
  std::vector<KubeQuery> pods;  // listed now and then while something is unmet, for its reason
  std::function<std::vector<Unmet>(const GateView&)> judge;
  /// Asked when `judge` finds nothing unmet, and again while it finds something itself.
  std::function<Task<Probed>(Context, const GateWorld&)> probe;
  Duration pace{std::chrono::seconds(2)};  // of the probe
  Duration stable{};                       // how long it must hold without a break
  std::string fault{"K3"};                 // of a kind that is not served
  bool once{false};                        // judged once, as soon as everything has been seen
  bool optional_kinds{false};              // a kind that is not served has no objects
};

/// What is known of a gate at this moment.
struct GateState {
  std::vector<Unmet> unmet;
  std::vector<Finding> notes;
  std::optional<MonoTime> held_since;  // it holds, and since when
  Duration stable{};                   // how long it must
  bool seen{false};                    // all that it rests on has been seen
  bool refused{false};                 // the API does not let us look, and never will
  bool over{false};                    // waiting does not help
  bool ever_held{false};
  std::uint64_t turn{0};  // of the last time all of it was listed, see KubeView::turns

  bool holds() const { return held_since.has_value(); }
  bool is_steady(MonoTime now) const { return holds() && now - *held_since >= stable; }
  /// For a gate that holds and is not steady.
  Unmet unsteady(const std::string& gate) const;
};

/// Keeps one gate judged: by mirrors, and by asking what no object says.
class GateKeeper {
 public:
  /// All must outlive it. `changed` rings when something was asked and answered; `state` is what
  /// is known.
  GateKeeper(Context context, const GateWorld& place, Gate gate, KubeMirrors& mirrors,
             Bell& changed, GateState& state);

  /// Judges what is known now, and asks for what is missing.
  void look();
  /// Forgets what was asked before now.
  void ask_again();
  const Gate& gate() const { return gate_; }
  /// Whether everything was asked for and has been answered.
  bool has_tried() const;
  /// Whether an answer is still to come.
  bool asks() const { return asks_; }
  /// When to look again, if nothing changes until then.
  MonoTime due() const;
  /// Waits for what is being asked.
  Task<void> join() { return asking_.join(); }

 private:
  bool all_synced() const;
  std::vector<Unmet> judge();
  Unmet unseen(std::size_t index);
  void ask_why();
  void ask_probe();
  Task<void> list_pods();
  Task<void> run_probe();
  void conclude(std::vector<Unmet> unmet);

  Context context_;
  GateWorld place_;
  Gate gate_;
  Bell& changed_;
  std::vector<const KubeMirror*> watches_;
  TaskGroup asking_;
  GateView view_;
  GateState& state_;
  std::vector<Unmet> judged_;
  std::optional<std::uint64_t> judged_at_;  // by the changes of its mirrors
  bool concluded_{false};                   // from judged_, by the last look
  bool asks_{false};
  int asked_again_{0};  // how often
  std::optional<MonoTime> listed_at_;
  std::optional<Probed> probed_;
  MonoTime probed_at_{};
};

struct GateEnd {
  std::vector<Unmet> unmet;  // empty: it holds
  std::vector<Finding> notes;
  bool refused{false};  // the API does not let us look, and never will
  bool cancelled{false};
  Duration took{};

  bool holds() const { return unmet.empty() && !cancelled; }
};

/// Waits until the gate holds, or the context ends, or the API refuses us. An object that has
/// failed is waited for as well: it may be repaired. What is unmet is shown whenever it changes.
Task<GateEnd> wait_for(Context context, GateWorld place, const Gate& gate);

/// What is unmet in one line, the first few of them.
std::string summary_of(const std::vector<Unmet>& unmet);

/// How often pods are listed to name a reason.
inline constexpr Duration kReasonPace = std::chrono::seconds(15);
/// Changes often come in swarms; they are judged together.
inline constexpr Duration kSwarm = std::chrono::milliseconds(100);

}  // namespace ichor
