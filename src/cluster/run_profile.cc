#include "cluster/run_profile.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"

namespace ichor {

namespace {

/// By its name, or by its address as talosctl does.
template <class Profile>
auto find_node(const NodeName& name, Profile& profile) -> OrEnd<decltype(profile.nodes.data())> {
  std::vector<std::string_view> known;
  for (auto& plan : profile.nodes) {
    if (plan.name == name || plan.address.value() == name.value()) return &plan;
    known.push_back(plan.name.value());
  }
  return end_with(Exit::usage, fmt::format("{} has no node {}; {}", profile.name, name.value(),
                                           name_hint(name.value(), known)));
}

}  // namespace

OrEnd<std::vector<NodeName>> find_names(const std::vector<NodeName>& typed,
                                        const ClusterProfile& profile) {
  std::vector<NodeName> names;
  for (const NodeName& name : typed) {
    const auto plan = find_node(name, profile);
    if (!plan) return forward_error(plan);
    names.push_back((*plan)->name);
  }
  return names;
}

namespace {

OrEnd<void> place_nodes(const NodeOptions& options, ClusterProfile& profile) {
  for (const auto& [name, address] : options.addresses) {
    const auto plan = find_node(name, profile);
    if (!plan) return forward_error(plan);
    (*plan)->maintenance_address = address;
  }
  for (const auto& [name, serial] : options.wipe_consents) {
    auto plan = find_node(name, profile);
    if (!plan) return forward_error(plan);
    profile.wipe_consents[(*plan)->name] = serial;
  }
  const auto kept = find_names(options.nodes, profile);
  if (!kept) return forward_error(kept);
  if (!kept->empty()) {
    std::erase_if(profile.nodes, [&](const NodePlan& plan) {
      return std::find(kept->begin(), kept->end(), plan.name) == kept->end();
    });
  }
  return {};
}

OrEnd<void> exclude_nodes(const std::vector<NodeName>& names, RunProfile& run) {
  ClusterProfile& profile = run.profile;
  for (const NodeName& name : names) {
    auto found = find_node(name, profile);
    if (!found) return forward_error(found);
    const NodeName left_out = (*found)->name;
    const auto is_it = [&](const NodePlan& plan) { return plan.name == left_out; };
    std::erase_if(profile.nodes, is_it);
    std::erase_if(run.everybody, is_it);
  }
  if (!names.empty() && profile.control_plane_count() == 0) {
    return end_with(Exit::usage, "no control plane is left");
  }
  return {};
}

OrEnd<void> settle_access(const AccessOptions& options, RunProfile& run) {
  for (const std::string& word : options.endpoints) {
    const NodePlan* plan = run.profile.find(NodeName(word));
    if (plan && plan->role != Role::control_plane) {
      return end_with(
          Exit::usage,
          fmt::format("--endpoints: {} is a worker, and workers pass no calls on", word));
    }
    const bool is_address = word.find_first_not_of("0123456789.") == std::string::npos ||
                            word.find(':') != std::string::npos;
    if (!plan && !is_address) {
      return end_with(Exit::usage, fmt::format("--endpoints: {} is neither an address nor a node "
                                               "of {}",
                                               word, run.profile.name));
    }
    run.endpoints.push_back(plan ? plan->address : IpAddress(word));
  }
  return {};
}

/// Fingerprints are a demand, also together with --insecure; that alone drops the profile's own.
OrEnd<void> settle_trust(const TrustOptions& options, RunProfile& run) {
  for (const auto& [name, key] : options.accepted_keys) {
    auto plan = find_node(name, run.profile);
    if (!plan) return forward_error(plan);
    run.profile.accepted_keys[(*plan)->name] = key;
  }
  if (!options.fingerprints.empty()) {
    run.profile.trust = Trust::pin;
    run.profile.pins = options.fingerprints;
  } else if (options.insecure) {
    run.profile.trust = Trust::insecure;
    for (NodePlan& plan : run.profile.nodes) plan.pin = {};
    run.warnings.push_back({Severity::warning,
                            "insecure",
                            {},
                            "--insecure",
                            "whatever answers in maintenance mode gets a config with the "
                            "cluster's keys",
                            "say which keys are theirs with --cert-fingerprint"});
  }
  return {};
}

void order_nodes(const ChangeOptions& options, ClusterProfile& profile) {
  if (options.order != Order::as_profile) {
    profile.sequential = options.order == Order::sequential;
  }
  if (options.concurrency) profile.concurrency = *options.concurrency;
}

void take_patience(const PatienceOptions& options, ClusterProfile& profile) {
  RetryLimits& retry = profile.retry;
  if (options.retries) retry.retries = *options.retries;
  if (options.retry_initial) retry.initial = *options.retry_initial;
  if (options.retry_max) retry.max = *options.retry_max;
  retry.max = std::max(retry.max, retry.initial);
  if (options.apply) profile.budgets.apply = *options.apply;
  if (options.verify) profile.budgets.verify = *options.verify;
  if (options.etcd) profile.budgets.etcd = *options.etcd;
  if (options.stuck) profile.budgets.stuck = *options.stuck;
}

}  // namespace

OrEnd<RunProfile> run_profile(ClusterProfile declared, const RunOptions& options) {
  RunProfile run;
  run.profile = std::move(declared);
  if (auto settled = settle_access(options.nodes.access, run); !settled) {
    return forward_error(settled);
  }
  if (auto settled = settle_trust(options.nodes.trust, run); !settled) {
    return forward_error(settled);
  }
  run.everybody = run.profile.nodes;
  if (auto placed = place_nodes(options.nodes, run.profile); !placed) {
    return forward_error(placed);
  }
  if (auto excluded = exclude_nodes(options.exclude, run); !excluded) {
    return forward_error(excluded);
  }
  order_nodes(options.change, run.profile);
  take_patience(options.change.patience, run.profile);
  return run;
}

}  // namespace ichor
