#include "phase/kubernetes/readiness.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

using State = Readiness::State;

Readiness ready() { return {}; }
Readiness in_progress(std::string reason) { return {State::in_progress, std::move(reason)}; }
Readiness failed(std::string reason) { return {State::failed, std::move(reason)}; }

/// Counts that a workload must reach, and what each means.
struct Count {
  const char* key;
  const char* what;
};

Readiness reached(const KubeObject& object, std::int64_t wanted, std::span<const Count> counts) {
  for (const Count& count : counts) {
    const std::int64_t there = number_at(object, {"status", count.key});
    if (there < wanted) return in_progress(fmt::format("{} of {} {}", there, wanted, count.what));
  }
  return ready();
}

Readiness deployment(const KubeObject& object) {
  const KubeObject& progressing = condition(object, "Progressing");
  if (text_at(progressing, {"reason"}) == "ProgressDeadlineExceeded") {
    return failed(words_of(progressing));
  }
  const std::int64_t wanted = number_at(object, {"spec", "replicas"}, 1);
  const std::array<Count, 3> first{{{"replicas", "replicas made"},
                                    {"updatedReplicas", "replicas updated"},
                                    {"readyReplicas", "replicas ready"}}};
  if (Readiness judged = reached(object, wanted, first); !judged.ready()) {
    // Quotas and refused pods are reported here only.
    const KubeObject& refusal = condition(object, "ReplicaFailure");
    if (text_at(refusal, {"status"}) == "True") judged.reason += "; " + words_of(refusal);
    return judged;
  }
  const std::int64_t all = number_at(object, {"status", "replicas"});
  const std::int64_t updated = number_at(object, {"status", "updatedReplicas"});
  if (all > updated) return in_progress(fmt::format("{} old replicas are ending", all - updated));
  const std::array<Count, 1> last{{{"availableReplicas", "replicas available"}}};
  if (Readiness judged = reached(object, wanted, last); !judged.ready()) return judged;
  const KubeObject& available = condition(object, "Available");
  if (text_at(available, {"status"}) == "False") return in_progress(words_of(available));
  return ready();
}

Readiness stateful_set(const KubeObject& object) {
  if (text_at(object, {"spec", "updateStrategy", "type"}) == "OnDelete") return ready();
  const std::int64_t wanted = number_at(object, {"spec", "replicas"}, 1);
  const std::array<Count, 2> counts{
      {{"replicas", "replicas made"}, {"readyReplicas", "replicas ready"}}};
  if (Readiness judged = reached(object, wanted, counts); !judged.ready()) return judged;
  const std::int64_t partition =
      number_at(object, {"spec", "updateStrategy", "rollingUpdate", "partition"});
  if (partition > 0) {
    const std::array<Count, 1> updated{{{"updatedReplicas", "replicas updated"}}};
    return reached(object, wanted - partition, updated);
  }
  if (text_at(object, {"status", "currentRevision"}) !=
      text_at(object, {"status", "updateRevision"})) {
    return in_progress("replicas of the old revision are left");
  }
  return ready();
}

Readiness daemon_set(const KubeObject& object) {
  if (text_at(object, {"spec", "updateStrategy", "type"}) == "OnDelete") return ready();
  const KubeObject& desired = at(object, {"status", "desiredNumberScheduled"});
  if (desired.is_null()) return in_progress("the controller has not counted its nodes yet");
  const std::array<Count, 4> counts{{{"currentNumberScheduled", "pods scheduled"},
                                     {"updatedNumberScheduled", "pods updated"},
                                     {"numberAvailable", "pods available"},
                                     {"numberReady", "pods ready"}}};
  return reached(object, number_at(object, {"status", "desiredNumberScheduled"}), counts);
}

Readiness job(const KubeObject& object) {
  const KubeObject& failure = condition(object, "Failed");
  if (text_at(failure, {"status"}) == "True") return failed(words_of(failure));
  if (condition_status(object, "Complete") == "True") return ready();
  return in_progress(fmt::format("{} of {} completions", number_at(object, {"status", "succeeded"}),
                                 number_at(object, {"spec", "completions"}, 1)));
}

/// Why a container does not run: what it waits for, or how it ended.
std::string container_trouble(const KubeObject& pod) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    const KubeObject& statuses = at(pod, {"status", list});
    if (!statuses.is_array()) continue;
    for (const KubeObject& status : statuses) {
      const std::string name = text_at(status, {"name"});
      const KubeObject& waiting = at(status, {"state", "waiting"});
      const std::string reason = text_at(waiting, {"reason"});
      if (!reason.empty() && reason != "PodInitializing" && reason != "ContainerCreating") {
        return fmt::format("container {}: {}", name, words_of(waiting));
      }
      const KubeObject& ended = at(status, {"state", "terminated"});
      if (number_at(ended, {"exitCode"}) != 0) {
        return fmt::format("container {} ended with {}: {}", name, number_at(ended, {"exitCode"}),
                           words_of(ended));
      }
    }
  }
  return {};
}

Readiness pod(const KubeObject& object) {
  const std::string phase = text_at(object, {"status", "phase"});
  if (phase == "Succeeded") return ready();
  const std::string trouble = container_trouble(object);
  if (phase == "Failed") {
    return failed(trouble.empty() ? "the pod failed: " + words_of(at(object, {"status"}))
                                  : trouble);
  }
  if (condition_status(object, "Ready") == "True") return ready();
  if (trouble.find("CrashLoopBackOff") != std::string::npos) return failed(trouble);
  if (!trouble.empty()) return in_progress(trouble);
  const KubeObject& scheduled = condition(object, "PodScheduled");
  if (text_at(scheduled, {"status"}) == "False") return in_progress(words_of(scheduled));
  const std::string words = words_of(condition(object, "Ready"));
  return in_progress(words.empty() ? fmt::format("phase {}", phase.empty() ? "unknown" : phase)
                                   : words);
}

Readiness custom_resource_definition(const KubeObject& object) {
  const KubeObject& names = condition(object, "NamesAccepted");
  if (text_at(names, {"status"}) == "False") return failed(words_of(names));
  const KubeObject& established = condition(object, "Established");
  if (text_at(established, {"status"}) == "True") return ready();
  const std::string words = words_of(established);
  return in_progress(words.empty() ? "not Established yet" : words);
}

Readiness phase_is(const KubeObject& object, std::string_view wanted) {
  const std::string phase = text_at(object, {"status", "phase"});
  if (phase == wanted) return ready();
  return in_progress(fmt::format("phase is {}, not {}", phase.empty() ? "empty" : phase, wanted));
}

Readiness node(const KubeObject& object) {
  const KubeObject& state = condition(object, "Ready");
  if (text_at(state, {"status"}) != "True") {
    const std::string words = words_of(state);
    return in_progress(words.empty() ? "its kubelet has not said Ready yet" : words);
  }
  const KubeObject& network = condition(object, "NetworkUnavailable");
  if (text_at(network, {"status"}) == "True") return in_progress(words_of(network));
  if (flag_at(object, {"spec", "unschedulable"})) return in_progress("it is cordoned");
  return ready();
}

Readiness api_service(const KubeObject& object) {
  return condition_holds(object, "Available", "True");
}

/// Kinds that speak by conditions. `must_say`: silence is not consent.
Readiness by_conditions(const KubeObject& object, bool must_say) {
  const KubeObject& stalled = condition(object, "Stalled");
  const KubeObject& state = condition(object, "Ready");
  const std::string status = text_at(state, {"status"});
  if (text_at(stalled, {"status"}) == "True") {
    // helm-controller says here that it gave up, and of what only there.
    const std::string end = words_of(stalled);
    const std::string cause = status == "False" ? words_of(state) : "";
    return failed(cause.empty() || cause == end ? end : end + "; " + cause);
  }
  if (status == "False" || status == "Unknown") return in_progress(words_of(state));
  const KubeObject& reconciling = condition(object, "Reconciling");
  if (text_at(reconciling, {"status"}) == "True") return in_progress(words_of(reconciling));
  if (status.empty() && must_say) return in_progress("its controller has not said Ready yet");
  return ready();
}

Readiness flux(const KubeObject& object) {
  if (flag_at(object, {"spec", "suspend"})) return failed("it is suspended");
  return by_conditions(object, true);
}

struct Rule {
  std::string_view group;
  std::string_view kind;
  Readiness (*judge)(const KubeObject&);
};

Readiness namespace_rule(const KubeObject& object) { return phase_is(object, "Active"); }
Readiness claim_rule(const KubeObject& object) { return phase_is(object, "Bound"); }

constexpr std::array<Rule, 10> kRules{{
    {"apps", "Deployment", deployment},
    {"apps", "StatefulSet", stateful_set},
    {"apps", "DaemonSet", daemon_set},
    {"batch", "Job", job},
    {"", "Pod", pod},
    {"", "Namespace", namespace_rule},
    {"", "PersistentVolumeClaim", claim_rule},
    {"", "Node", node},
    {"apiextensions.k8s.io", "CustomResourceDefinition", custom_resource_definition},
    {"apiregistration.k8s.io", "APIService", api_service},
}};

bool is_flux(const std::string& group) {
  return group.ends_with(".toolkit.fluxcd.io") || group.ends_with(".controlplane.io");
}

/// What holds for every kind: it is not on its way out, and its controller has seen its spec.
Readiness common(const KubeObject& object) {
  if (!text_at(object, {"metadata", "deletionTimestamp"}).empty()) {
    return in_progress("it is being deleted");
  }
  const KubeObject& observed = at(object, {"status", "observedGeneration"});
  const std::int64_t generation = number_at(object, {"metadata", "generation"});
  const std::int64_t seen = number_at(object, {"status", "observedGeneration"});
  if (observed.is_number() && seen != generation) {
    return in_progress(
        fmt::format("its controller has seen generation {} of {}", seen, generation));
  }
  return ready();
}

}  // namespace

std::string_view name_of(Readiness::State state) {
  switch (state) {
    case State::ready: return "ready";
    case State::in_progress: return "in progress";
    case State::failed: return "failed";
  }
  return "?";
}

Readiness readiness_of(const KubeObject& object) {
  if (Readiness judged = common(object); !judged.ready()) return judged;
  const KubeKind kind = kind_of(object);
  for (const Rule& rule : kRules) {
    if (rule.group == kind.group && rule.kind == kind.kind) return rule.judge(object);
  }
  return is_flux(kind.group) ? flux(object) : by_conditions(object, false);
}

Readiness condition_holds(const KubeObject& object, std::string_view type,
                          std::string_view status) {
  if (Readiness judged = common(object); !judged.ready()) return judged;
  const KubeObject& found = condition(object, type);
  const std::string there = text_at(found, {"status"});
  if (there == status) return ready();
  const std::string words = words_of(found);
  return in_progress(fmt::format("condition {} is {}, not {}{}{}", type,
                                 there.empty() ? "not there" : there, status,
                                 words.empty() ? "" : ": ", words));
}

}  // namespace ichor
