#include "phase/kubernetes/gates/object.h"

#include "phase/kubernetes/gates/queries.h"
#include "phase/kubernetes/readiness.h"

namespace ichor {

Gate object_gate(const KubeRef& ref, const ObjectCondition& condition) {
  Gate gate;
  gate.name = "object";
  gate.watches = {named(ref.kind, ref.name_space, ref.name)};
  gate.optional_kinds = condition.what == ObjectCondition::For::deleted;
  gate.judge = [ref, condition](const GateView& view) -> std::vector<Unmet> {
    const SeenObjects& found = *view.objects[0];
    if (condition.what == ObjectCondition::For::deleted) {
      if (found.empty()) return {};
      return {{to_text(ref_of(found.front())), "it is still there",
               "look at its finalizers: metadata.finalizers", "K6", false}};
    }
    if (found.empty()) return {missing_object(to_text(ref), "create it", "K6")};
    if (condition.what == ObjectCondition::For::exists) return {};
    if (condition.what == ObjectCondition::For::ready) return judge_one(found.front(), "K6");
    const Readiness held = condition_holds(found.front(), condition.condition, condition.status);
    if (held.ready()) return {};
    return {
        {to_text(ref_of(found.front())), held.reason, fix_for(ref_of(found.front())), "K6", false}};
  };
  return gate;
}

}  // namespace ichor
