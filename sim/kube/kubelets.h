#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"
#include "sim/kube/gauge.h"
#include "sim/node/node.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

/// base64 of the PEM request that a kubelet sends for its serving certificate, or that another
/// client sends in its place ("another name"); empty where there is none.
std::string_view kubelet_request(std::string_view whose);

/// A kubelet's CertificateSigningRequest as the API server shows it.
KubeObject csr_of(const std::string& name, std::string_view node, std::string_view request);

/// The Node objects of the machines, and what their kubelets do to the API: they report, fall
/// silent, and ask for serving certificates.
class Kubelets {
 public:
  using Nodes = std::vector<std::unique_ptr<Node>>;
  Kubelets(ApiServer& api, Clock& clock, const Nodes& nodes, SeededRandom random);

  /// Something about the machine changed; or whether anybody reaches the API.
  void look_at(std::size_t index);
  /// Called when the state of a node, as the API shows it, has changed.
  std::function<void(std::size_t)> changed;

  bool knows(std::size_t index) const { return told(index) != Told::nothing; }
  /// As the API shows it.
  bool ready(std::size_t index) const { return told(index) == Told::ready; }
  bool lost(std::size_t index) const { return told(index) == Told::unknown; }
  /// Whether the scheduler puts pods there: it is not cordoned.
  bool schedulable(std::size_t index) const;
  /// Whether the kubelet can be reached with a certificate of the cluster's.
  bool serves(std::size_t index) const {
    return index < states_.size() && states_[index].certified;
  }
  const std::string& name_of(std::size_t index) const { return nodes_[index]->spec().name.value(); }
  /// Whether a kubelet sent this request itself.
  bool sent(const std::string& csr) const;
  /// All of them are Ready and schedulable.
  const Gauge& all_ready() const { return all_ready_; }

  // --- what goes wrong
  void make_sick(std::size_t index, bool sick);  // it reports, and says that it is not Ready
  void cordon(std::size_t index, bool cordoned);
  void certify_late(Duration by) { csr_delay_ += by; }

 private:
  enum class Told { nothing, not_ready, ready, unknown };
  struct State {
    Told told{Told::nothing};
    bool sick{false};
    bool cordoned{false};
    bool silent{false};
    bool certified{false};
    int csrs{0};
    std::uint64_t silences{0};
  };

  Told told(std::size_t index) const {
    return index < states_.size() ? states_[index].told : Told::nothing;
  }
  void tell(std::size_t index, Told told);
  void ask_for_certificate(std::size_t index);
  void on_csr(const KubeRef& ref, const KubeObject& csr);
  void measure();

  ApiServer& api_;
  Clock& clock_;
  const Nodes& nodes_;
  SeededRandom random_;
  Later later_;
  Duration csr_delay_{std::chrono::seconds(2)};
  std::vector<State> states_;
  std::vector<std::pair<std::string, std::size_t>> sent_;  // names of requests, and whose
  Gauge all_ready_;
};

}  // namespace ichor::sim
