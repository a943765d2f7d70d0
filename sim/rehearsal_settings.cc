#include "sim/rehearsal_settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace ichor::sim {

namespace {

/// Less is within what chance does to a run.
constexpr double kNoticeable = 0.01;

struct Limit {
  std::string_view step;
  std::string_view name;
  Duration Budgets::*value;
};

constexpr Limit kLimits[] = {
    {"preflight", "budgets.preflight", &Budgets::preflight},
    {"discover", "budgets.discover", &Budgets::discover},
    {"apply", "budgets.apply", &Budgets::apply},
    {"bootstrap", "budgets.bootstrap", &Budgets::bootstrap},
    {"etcd", "budgets.etcd", &Budgets::etcd},
    {"kubeconfig", "budgets.kubeconfig", &Budgets::kubeconfig},
    {"verify", "budgets.verify", &Budgets::verify},
};

void add_limits(const ClusterProfile& profile, const RehearsalReport& report,
                std::vector<Setting>& settings) {
  for (const StepFigures& step : report.steps) {
    if (step.out_of_time == 0) continue;
    for (const Limit& limit : kLimits) {
      if (limit.step != step.name) continue;
      const auto value = limit.value;
      const Duration now = profile.budgets.*value;
      settings.push_back({std::string(limit.name), ichor::to_text(now), ichor::to_text(2 * now),
                          [value](ClusterProfile& one) { one.budgets.*value *= 2; }});
    }
  }
}

void add_order(const ClusterProfile& profile, std::vector<Setting>& settings) {
  if (profile.worker_order == WorkerOrder::after_api) {
    settings.push_back(
        {"order.workers", "after-api", "with-control-planes",
         [](ClusterProfile& one) { one.worker_order = WorkerOrder::with_control_planes; }});
  }
  if (profile.sequential) {
    settings.push_back({"order.apply", "sequential", "parallel",
                        [](ClusterProfile& one) { one.sequential = false; }});
  }
  const auto nodes = static_cast<int>(profile.nodes.size());
  if (profile.concurrency < nodes) {
    settings.push_back({"order.concurrency", fmt::to_string(profile.concurrency),
                        fmt::to_string(nodes),
                        [nodes](ClusterProfile& one) { one.concurrency = nodes; }});
  }
}

void add_retries(const ClusterProfile& profile, std::vector<Setting>& settings) {
  const Duration half = profile.retry.max / 2;
  if (half >= profile.retry.initial) {
    settings.push_back({"retry.max", ichor::to_text(profile.retry.max), ichor::to_text(half),
                        [half](ClusterProfile& one) { one.retry.max = half; }});
  }
  const int more = std::max(2 * profile.retry.retries, 5);
  settings.push_back({"retry.retries", fmt::to_string(profile.retry.retries), fmt::to_string(more),
                      [more](ClusterProfile& one) { one.retry.retries = more; }});
}

/// The API of a cluster whose endpoint is one machine's address is away with that machine.
void add_vip(const ClusterProfile& profile, std::vector<Setting>& settings) {
  const auto holder =
      std::find_if(profile.nodes.begin(), profile.nodes.end(), [&](const NodePlan& plan) {
        return profile.network.api_endpoint.find("//" + plan.address.value() + ":") !=
               std::string::npos;
      });
  if (holder == profile.nodes.end() || profile.control_plane_count() < 2) return;
  settings.push_back({"talos.vip.ip", "none, the endpoint is " + holder->name.value(),
                      "a free address, which is the endpoint", [](ClusterProfile& one) {
                        one.network.vip = "198.19.0.1";
                        one.network.api_endpoint = "https://198.19.0.1:6443";
                      }});
}

double change(const std::optional<Duration>& before, const std::optional<Duration>& after) {
  if (!before || !after || before->count() == 0) return 0;
  return static_cast<double>((*after - *before).count()) / static_cast<double>(before->count());
}

std::uint64_t ready(const RehearsalFigures& figures) {
  const auto found = figures.ends.find(RehearsalEnd::ready);
  return found == figures.ends.end() ? 0 : found->second;
}

}  // namespace

std::vector<Setting> settings_to_try(const ClusterProfile& profile, const RehearsalReport& report) {
  std::vector<Setting> settings;
  add_order(profile, settings);
  add_vip(profile, settings);
  add_limits(profile, report, settings);
  add_retries(profile, settings);
  return settings;
}

bool helps(const RehearsalFigures& before, const RehearsalFigures& after) {
  const auto wrong = [](const RehearsalFigures& figures) {
    return figures.ends.contains(RehearsalEnd::wrong);
  };
  if (wrong(after) && !wrong(before)) return false;
  if (ready(after) != ready(before)) return ready(after) > ready(before);
  const double median = change(before.p50, after.p50);
  const double slow = change(before.p95, after.p95);
  return std::min(median, slow) < -kNoticeable && std::max(median, slow) < kNoticeable;
}

}  // namespace ichor::sim
