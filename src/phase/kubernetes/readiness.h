#pragma once

#include <string>
#include <string_view>

#include "port/kube_client.h"

namespace ichor {

/// Whether an object does what it was made for.
struct Readiness {
  enum class State {
    ready,
    in_progress,  // may come by itself
    failed,       // does not come by itself
  };
  State state{State::ready};
  std::string reason;  // what is unmet; empty if it is ready

  bool ready() const { return state == State::ready; }
};

std::string_view name_of(Readiness::State state);

/// Judges an object by the rules of its kind, as kstatus has them: a spec that its controller has
/// not seen yet (observedGeneration) is not ready, whatever the conditions say; kinds without rules
/// of their own go by the conditions Stalled, Reconciling and Ready. Three are stricter: a Job must
/// be complete, a Flux object must have said Ready, and a suspended one is not.
Readiness readiness_of(const KubeObject& object);

/// A condition of this type with this status, at the current generation.
Readiness condition_holds(const KubeObject& object, std::string_view type, std::string_view status);

}  // namespace ichor
