#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/cluster_profile.h"
#include "sim/kube/stack_plan.h"
#include "sim/node/spec.h"

namespace ichor::sim {

struct Shape {
  int control_planes{3};
  int workers{3};
  bool operator==(const Shape&) const = default;
};

/// How far a seed goes: to the verified nodes, on to the handover to Flux, or from the verified
/// nodes to another version of Talos.
enum class Line { talos, whole, upgrade };

/// Everything that is drawn for one seed before its first tick. Printed in front of every trace, so
/// that a failure can be read without the generator.
struct SeedPlan {
  std::uint64_t seed{0};
  Shape shape;
  Personality personality{Personality::v1_12};
  Platform platform{Platform::metal};
  WorkerOrder worker_order{WorkerOrder::after_api};
  bool typed_configs{false};  // of contract 1.14, which a node of 1.14 installs itself by
  bool etcd_volume{false};    // and which give etcd a partition
  bool sequential{false};
  bool addresses_move{false};     // DHCP first, then the static address of the config
  bool addresses_unknown{false};  // and the profile does not say the first one
  bool provisioned{false};        // machines are made first, through a provider
  double pace{1.0};               // factor on all node durations
  Duration latency{};             // one way
  Duration fault_phase{};
  std::vector<Duration> power_on;   // per node
  std::vector<std::size_t> faults;  // indices into fault_catalogue()
  Line line{Line::talos};
  StackPlan stack;        // of the whole line
  TalosVersion target{};  // of the line of an upgrade

  /// Whether a fault is among them that is declared to last.
  bool unrecoverable() const;
};

/// Which faults a campaign may arm: all, none, or by name.
struct FaultChoice {
  std::vector<std::size_t> allowed;
  bool everything{true};  // swarm: each is armed in a part of the seeds; otherwise in all
};

/// The part of a plan that both lines have is the same in both.
SeedPlan draw_plan(std::uint64_t seed, const Shape& shape, const FaultChoice& choice,
                   Line line = Line::talos);

std::string to_text(const SeedPlan& plan);

}  // namespace ichor::sim
