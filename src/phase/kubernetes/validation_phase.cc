#include "phase/kubernetes/validation_phase.h"

#include "phase/kubernetes/gate_table.h"

namespace ichor {

void ValidationPhase::follow(Course& course) const {
  const KubernetesPlan& plan = course.plan();
  if (!plan.flux.kustomize_root.empty()) {
    const TreeVerdict* tree = course.tree();
    if (tree && !tree->fault.empty()) {
      Unmet unclean{plan.flux.kustomize_root, tree->fault,
                    "correct it in the repository, and try `kustomize build` there", "K4", true};
      unclean.gate = "kustomize";
      course.stop(std::move(unclean));
    }
  }
  // A node may have been lost or cordoned since phase 2, and a handover is of a whole cluster.
  course.passes("nodes", node_names(course.wanted().profile), Course::Window::now);
  // All of them in one look: one that held may be broken again before the last of them does.
  for (const std::string_view gate : gates_of_phase(number(), plan)) {
    course.passes(gate);
  }
}

}  // namespace ichor
