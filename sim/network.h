#pragma once

#include <memory>
#include <vector>

#include "port/kube_api.h"
#include "port/scout.h"
#include "port/talos_api.h"
#include "sim/checkers/checker.h"
#include "sim/faults/fault.h"

namespace ichor::sim {

class SimWorld;
class SimWatch;

/// A machine as the network sees it: connections to it live as long as its epoch does not change.
struct Port {
  Node* node{nullptr};
  std::uint64_t epoch{0};  // grows when the listener changes or the machine goes down
  Listener listener{Listener::silent};
  BootId boot;
  std::uint64_t mute_epochs_before{0};  // connections older than this get no answer at all
  std::vector<SimWatch*> watches;
};

/// One process's way to the nodes: port/talos_api.h over the node models, with latency and faults.
class SimTalosApi final : public TalosApi, public Scout {
 public:
  SimTalosApi(SimWorld& world, int process) : world_(world), process_(process) {}
  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context context, IpAddress address,
                                                       PeerDemand demand) override;
  Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) override;

 private:
  Task<CallResult<std::unique_ptr<TalosSession>>> connect(Context context, IpAddress address,
                                                          PeerDemand demand);

  SimWorld& world_;
  int process_;
};

/// The Kubernetes API behind the cluster's endpoint: answers while any control plane's does.
class SimKubeApi final : public KubeApi {
 public:
  SimKubeApi(SimWorld& world, int process) : world_(world), process_(process) {}
  Task<CallResult<void>> ready(Context context, const SecretString& kubeconfig) override;

 private:
  Task<CallResult<void>> ask(Context context);

  SimWorld& world_;
  int process_;
};

/// An open watch: rings when the node changes, as far as the faults let it through.
class SimWatch final : public Watch {
 public:
  SimWatch(SimWorld& world, Port& port, Bell& bell);
  ~SimWatch() override;
  bool alive() const override { return alive_; }

  void node_changed();
  void connection_lost();
  /// The other end is gone without a sign: it never rings again.
  void connection_forgotten();

 private:
  void ring_after(Duration delay);
  void ring();

  SimWorld& world_;
  Port* port_;
  Bell& bell_;
  bool alive_{true};
  Stage stage_{Stage::unknown};
  Clock::CallId pending_{0};
};

}  // namespace ichor::sim
