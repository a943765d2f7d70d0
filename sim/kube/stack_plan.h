#pragma once

namespace ichor::sim {

/// How a seed's cluster goes on after its nodes are verified.
struct StackPlan {
  bool cilium{false};    // Talos installs no CNI, a release does
  bool helmfile{false};  // some releases are a helmfile's
  bool connect{false};   // 1Password by its HTTP API, else by the program op
  bool operator==(const StackPlan&) const = default;
};

}  // namespace ichor::sim
