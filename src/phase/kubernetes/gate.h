#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/judge.h"
#include "phase/kubernetes/unmet.h"
#include "port/events.h"
#include "port/kube_client.h"
#include "port/random.h"

namespace ichor {

/// What was seen of the kinds that a gate watches.
struct GateView {
  std::vector<KubeObjects> objects;  // as Gate::watches asks
  KubeObjects pods;                  // as Gate::pods asks; empty as long as all is well
};

/// Something that must hold before the next thing is begun. `judge` is pure.
struct Gate {
  std::string name;  // "nodes"
  std::vector<KubeQuery> watches;
  std::vector<KubeQuery> pods;  // listed now and then while something is unmet, for its reason
  std::function<std::vector<Unmet>(const GateView&)> judge;
  Duration stable{};           // how long it must hold without a break
  std::string fault{"K3"};     // of a kind that is not served
  bool once{false};            // judged once, as soon as everything has been seen
  bool optional_kinds{false};  // a kind that is not served has no objects
};

struct GateEnd {
  std::vector<Unmet> unmet;  // empty: it holds
  bool refused{false};       // the API does not let us look, and never will
  bool cancelled{false};
  Duration took{};

  bool holds() const { return unmet.empty() && !cancelled; }
};

/// Where a gate is waited for.
struct GatePlace {
  Clock& clock;
  Random& random;
  KubeClient& kube;
  EventSink& events;
  std::string_view phase;  // lives for ever
};

/// Waits until the gate holds, or the context ends, or the API refuses us. An object that has
/// failed is waited for as well: somebody may mend it. What is unmet is told whenever it changes.
Task<GateEnd> wait_for(Context context, GatePlace place, const Gate& gate);

/// How often pods are listed to name a reason.
inline constexpr Duration kReasonPace = std::chrono::seconds(15);

}  // namespace ichor
