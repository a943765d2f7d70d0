#include "phase/kubernetes/gates/object.h"

#include "phase/kubernetes/gates/queries.h"
#include "phase/kubernetes/readiness.h"

namespace ichor {

Gate object_gate(const KubeRef& ref, const ObjectWish& wish) {
  Gate gate;
  gate.name = "object";
  gate.watches = {named(ref.kind, ref.name_space, ref.name)};
  gate.optional_kinds = wish.what == ObjectWish::For::deleted;
  gate.judge = [ref, wish](const GateView& view) -> std::vector<Unmet> {
    const SeenObjects& found = *view.objects[0];
    if (wish.what == ObjectWish::For::deleted) {
      if (found.empty()) return {};
      return {{to_text(ref_of(found.front())), "it is still there",
               "look at its finalizers: metadata.finalizers", "K6", false}};
    }
    if (found.empty()) return {{to_text(ref), "it is not there", "create it", "K6", false}};
    if (wish.what == ObjectWish::For::exists) return {};
    if (wish.what == ObjectWish::For::ready) return judge_one(found.front(), "K6");
    const Readiness held = condition_holds(found.front(), wish.condition, wish.status);
    if (held.ready()) return {};
    return {
        {to_text(ref_of(found.front())), held.reason, fix_for(ref_of(found.front())), "K6", false}};
  };
  return gate;
}

}  // namespace ichor
