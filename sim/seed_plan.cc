#include "sim/seed_plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/faults/fault.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Swarm testing: a class is armed in a part of the seeds only, so most seeds combine a few classes
/// and each also shows what it does without the others.
constexpr double kArmed = 0.12;
/// Lasting faults stand together in a part of the seeds, so that the others show that
/// everything else does. Within it each is armed often enough to be on in a tenth of all seeds.
constexpr double kUnrecoverable = 0.18;
constexpr double kArmedThere = 0.6;
/// Where the line goes on, half of them leave the nodes alone, so that Kubernetes is reached at
/// all.
constexpr double kEndsInKubernetes = 0.5;
constexpr double kArmedInKubernetes = 0.3;
/// Machines are made in a part of the seeds only: it takes a minute of each, and thousands of
/// events. There its faults are armed more often, so that each is met.
constexpr double kProvisioned = 0.15;
constexpr double kArmedAtProvider = 0.25;
constexpr double kUnrecoverableAtProvider = 0.06;

constexpr double kArmedInUpgrade = 0.25;

void extend_to_kubernetes(SeedPlan& plan, const FaultChoice& choice, bool unrecoverable) {
  SeededRandom random = SeededRandom(plan.seed).fork(77);
  plan.stack.cilium = random.chance(0.5);
  plan.stack.helmfile = random.chance(0.3);
  plan.stack.connect = random.chance(0.5);
  plan.fault_phase += random.between(Duration{}, minutes(12));
  const bool ends_late = unrecoverable && random.chance(kEndsInKubernetes);
  if (ends_late && choice.everything) {
    std::erase_if(plan.faults,
                  [](std::size_t index) { return !fault_catalogue()[index].recovery.heals(); });
  }
  for (const std::size_t index : choice.allowed) {
    const FaultClass& fault = fault_catalogue()[index];
    if (!fault.of_kubernetes) continue;
    const double swarm = fault.recovery.heals() ? kArmed : (ends_late ? kArmedInKubernetes : 0.0);
    if (!choice.everything || random.chance(swarm)) plan.faults.push_back(index);
  }
}

/// To the next minor release or to a patch, so both of Talos' APIs are met, on machines.
void go_on_to_upgrade(SeedPlan& plan, const FaultChoice& choice) {
  SeededRandom random = SeededRandom(plan.seed).fork(80);
  std::erase_if(plan.faults,
                [](std::size_t index) { return !fault_catalogue()[index].recovery.heals(); });
  plan.platform = Platform::metal;
  plan.provisioned = false;
  plan.target = talos_version(plan.personality);
  const bool next_minor = plan.personality == Personality::v1_12 && random.chance(0.6);
  if (next_minor) plan.target = talos_version(Personality::v1_13);
  if (!next_minor) ++plan.target.patch;
  // A bring-up and half an hour of upgrades.
  plan.fault_phase += random.between(minutes(5), minutes(30));
  for (const std::size_t index : choice.allowed) {
    const FaultClass& fault = fault_catalogue()[index];
    if (fault.of_upgrade && (!choice.everything || random.chance(kArmedInUpgrade))) {
      plan.faults.push_back(index);
    }
  }
}

void add_provider(SeedPlan& plan, const FaultChoice& choice) {
  SeededRandom random = SeededRandom(plan.seed).fork(79);
  const bool asked_for =
      std::any_of(choice.allowed.begin(), choice.allowed.end(), [&](std::size_t index) {
        return !choice.everything && fault_catalogue()[index].of_provider;
      });
  // Where faults are named, only what they need: such a seed stays as it is. Containers are not
  // made by a provider of machines.
  const bool drawn = choice.everything && random.chance(kProvisioned);
  plan.provisioned = asked_for || (drawn && plan.platform == Platform::metal);
  if (!plan.provisioned) return;
  if (asked_for) plan.platform = Platform::metal;
  for (const std::size_t index : choice.allowed) {
    const FaultClass& fault = fault_catalogue()[index];
    if (!fault.of_provider) continue;
    const double swarm = fault.recovery.heals() ? kArmedAtProvider : kUnrecoverableAtProvider;
    if (!choice.everything || random.chance(swarm)) plan.faults.push_back(index);
  }
}

/// Of a stream of its own, so that what other draws give stays as it is.
void draw_release(SeedPlan& plan) {
  SeededRandom random = SeededRandom(plan.seed).fork(114);
  constexpr double kNewest = 1.0 / 3;
  if (!random.chance(kNewest)) return;
  plan.personality = Personality::v1_14;
  plan.typed_configs = random.chance(0.7);
  plan.etcd_volume = plan.typed_configs && random.chance(0.3);
}

}  // namespace

SeedPlan draw_plan(std::uint64_t seed, const Shape& shape, const FaultChoice& choice, Line line) {
  SeededRandom random(seed);
  SeedPlan plan;
  plan.seed = seed;
  plan.shape = shape;
  plan.personality = random.chance(0.5) ? Personality::v1_12 : Personality::v1_13;
  plan.platform = random.chance(0.2) ? Platform::container : Platform::metal;
  plan.worker_order =
      random.chance(0.5) ? WorkerOrder::after_api : WorkerOrder::with_control_planes;
  plan.sequential = random.chance(0.1);
  plan.addresses_move = random.chance(0.5);
  plan.pace = 0.5 + random.fraction();
  plan.latency = random.between(milliseconds(1), milliseconds(20));
  plan.fault_phase = random.between(minutes(1), minutes(12));
  for (int i = 0; i < shape.control_planes + shape.workers; ++i) {
    plan.power_on.push_back(random.between(seconds(0), seconds(60)));
  }
  const bool unrecoverable = random.chance(kUnrecoverable);
  for (const std::size_t index : choice.allowed) {
    if (fault_catalogue()[index].of_some_lines()) continue;
    const bool heals = fault_catalogue()[index].recovery.heals();
    const double swarm = heals ? kArmed : (unrecoverable ? kArmedThere : 0.0);
    if (!choice.everything || random.chance(swarm)) plan.faults.push_back(index);
  }
  draw_release(plan);
  // Likewise.
  plan.addresses_unknown = plan.addresses_move && SeededRandom(seed).fork(78).chance(0.5);
  add_provider(plan, choice);
  plan.line = line;
  if (line == Line::whole) extend_to_kubernetes(plan, choice, unrecoverable);
  if (line == Line::upgrade) go_on_to_upgrade(plan, choice);
  return plan;
}

namespace {

std::string_view addresses_word(const SeedPlan& plan) {
  if (!plan.addresses_move) return "stay";
  return plan.addresses_unknown ? "are-found" : "move";
}

}  // namespace

bool SeedPlan::unrecoverable() const {
  return std::any_of(faults.begin(), faults.end(),
                     [](std::size_t index) { return !fault_catalogue()[index].recovery.heals(); });
}

std::string to_text(const SeedPlan& plan) {
  std::string faults;
  for (const std::size_t index : plan.faults) {
    faults += fmt::format("{}{}", faults.empty() ? "" : ",", fault_catalogue()[index].name);
  }
  const std::string stack =
      plan.line == Line::talos ? ""
      : plan.line == Line::upgrade
          ? fmt::format(" upgrade to {}", ichor::to_text(plan.target))
          : fmt::format(" cni {} releases {} vault {}", plan.stack.cilium ? "cilium" : "flannel",
                        plan.stack.helmfile ? "helmfile" : "helm",
                        plan.stack.connect ? "connect" : "op");
  return fmt::format(
      "seed {} shape {}+{} talos {}{}{} platform {} workers {} order {} addresses {} pace {:.2f} "
      "latency {} fault-phase {}{}{} faults [{}]",
      plan.seed, plan.shape.control_planes, plan.shape.workers, release_of(plan.personality).name,
      plan.typed_configs ? " configs typed" : "", plan.etcd_volume ? " etcd in-its-partition" : "",
      plan.platform == Platform::metal ? "metal" : "container",
      plan.worker_order == WorkerOrder::after_api ? "after-api" : "with-control-planes",
      plan.sequential ? "sequential" : "parallel", addresses_word(plan), plan.pace,
      ichor::to_text(plan.latency), ichor::to_text(plan.fault_phase),
      plan.provisioned ? " machines are-made" : "", stack, faults);
}

}  // namespace ichor::sim
