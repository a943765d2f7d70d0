#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "sim/kube/api_server.h"

// PodDisruptionBudgets and what they make of evictions.

namespace ichor::sim {

namespace {

const KubeKind kPods{"", "v1", "Pod"};
const KubeKind kBudgets{"policy", "v1", "PodDisruptionBudget"};

CallError answer(Code code, std::string text) {
  return {Call::evict, Progress::answered, TlsVerdict::fine, code, std::move(text)};
}

bool selects(const KubeObject& budget, const KubeObject& pod) {
  const KubeObject& wanted = at(budget, {"spec", "selector", "matchLabels"});
  const KubeObject& labels = at(pod, {"metadata", "labels"});
  if (!wanted.is_object() || !labels.is_object()) return false;
  for (const auto& [key, value] : wanted.items()) {
    if (!labels.contains(key) || labels[key] != value) return false;
  }
  return true;
}

/// An integer or a share of `all`, rounded up.
std::int64_t count_of(const KubeObject& value, std::int64_t all) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return 0;
  const auto& text = value.get_ref<const std::string&>();
  std::int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (all * percent + 99) / 100;
}

struct Count {
  std::int64_t all{0}, healthy{0}, wanted{0};
  std::int64_t allowed() const { return std::max<std::int64_t>(healthy - wanted, 0); }
};

Count count(const KubeObject& budget, const KubeList& pods) {
  Count found;
  for (const KubeObject& pod : pods.items) {
    if (namespace_in(pod) != namespace_in(budget) || !selects(budget, pod)) continue;
    ++found.all;
    const bool leaves = !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
    if (!leaves && condition_status(pod, "Ready") == "True") ++found.healthy;
  }
  const KubeObject& least = at(budget, {"spec", "minAvailable"});
  found.wanted = least.is_null()
                     ? found.all - count_of(at(budget, {"spec", "maxUnavailable"}), found.all)
                     : count_of(least, found.all);
  return found;
}

}  // namespace

ApiServer::Stored ApiServer::shown(const Kind& kind, const Stored& object) const {
  if (kind.resource.kind.kind != kBudgets.kind) return object;
  const auto pods = list({kPods, namespace_in(*object), {}, {}});
  if (!pods) return object;
  const Count found = count(*object, *pods);
  KubeObject budget = *object;
  budget["status"] = {{"disruptionsAllowed", found.allowed()},
                      {"currentHealthy", found.healthy},
                      {"desiredHealthy", found.wanted},
                      {"expectedPods", found.all}};
  return std::make_shared<const KubeObject>(std::move(budget));
}

CallResult<void> ApiServer::evict(const KubeRef& ref, const std::string& uid) {
  const auto pods = list({kPods, ref.name_space, {}, {}});
  if (!pods) return forward_error(pods);
  const auto pod = std::find_if(pods->items.begin(), pods->items.end(),
                                [&](const KubeObject& one) { return name_in(one) == ref.name; });
  if (pod == pods->items.end()) {
    return tl::unexpected(answer(Code::not_found, fmt::format("pods \"{}\" not found", ref.name)));
  }
  if (!uid.empty() && text_at(*pod, {"metadata", "uid"}) != uid) {
    return tl::unexpected(answer(Code::aborted, "the UID in the precondition does not match"));
  }
  const auto budgets = list({kBudgets, ref.name_space, {}, {}});
  for (const KubeObject& budget : budgets ? budgets->items : SeenObjects{}) {
    if (!selects(budget, *pod) || count(budget, *pods).allowed() > 0) continue;
    return tl::unexpected(
        answer(Code::resource_exhausted,
               "Cannot evict pod as it would violate the pod's disruption budget."));
  }
  if (on_evict) {
    on_evict(ref);
  } else {
    erase(ref);
  }
  return {};
}

}  // namespace ichor::sim
