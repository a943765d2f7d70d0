#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.h"
#include "model/journal_record.h"
#include "sim/crash_points.h"
#include "sim/node/node.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

class SimWorld;

/// What the network is about to do with one call. Faults change it; the network then does it.
struct Passage {
  Call call{Call::open};
  Node* node{nullptr};  // null: no machine has the dialled address
  bool maintenance{false};
  Duration delay{};               // added to each direction
  bool refuse{false};             // as if no program listened
  bool lose_request{false};       // the request never arrives; ichor waits for its deadline
  bool lose_reply{false};         // it is carried out, and the reply never arrives
  bool break_after{false};        // it is carried out, and the connection breaks
  std::optional<CallError> tls;   // the handshake fails (open only)
  std::optional<Refusal> answer;  // the node answers this instead
};

/// What happens to one call to the Kubernetes API.
struct KubePassage {
  Duration delay{};  // added to each direction
  bool refuse{false};
  bool lose_request{false};
  bool lose_reply{false};
  bool break_after{false};
  std::optional<Refusal> answer;  // the server answers this instead
};

struct KubeRequest;
struct ProviderPassage;

/// A way in which the world misbehaves, armed for one seed. Everything it draws comes from the
/// given stream, so that arming one fault does not change what another one does.
class Fault {
 public:
  explicit Fault(SeededRandom random) : random_(random) {}
  virtual ~Fault() = default;
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;

  /// Changes the machines before they are built, and what the operator has written about them.
  virtual void prepare(SimWorld& /*world*/, std::vector<NodeSpec>& /*hardware*/) {}
  /// Schedules what happens by itself, on the world's clock.
  virtual void arm(SimWorld& /*world*/) {}
  /// Faults are over: undo what still lasts (power on, thaw, release).
  virtual void quiet(SimWorld& /*world*/) {}
  virtual void on_passage(SimWorld& /*world*/, Passage& /*passage*/) {}
  virtual void on_kube_passage(SimWorld& /*world*/, const KubeRequest& /*request*/,
                               KubePassage& /*passage*/) {}
  virtual void on_provider_passage(SimWorld& /*world*/, ProviderPassage& /*passage*/) {}
  /// Something took effect in Kubernetes that ichor asked for.
  virtual void on_kube_effect(SimWorld& /*world*/, const KubeRequest& /*request*/) {}
  /// Changes what a watch delivers: 0 = lost, 1 = as it is, 2 = doubled.
  virtual int watch_copies(SimWorld& /*world*/) { return 1; }
  virtual void on_node_changed(SimWorld& /*world*/, Node& /*node*/) {}
  /// A run ended by itself, whatever its verdict.
  virtual void on_process_ended(SimWorld& /*world*/) {}
  /// A run is about to start, and none is alive: here the operator's files may change.
  virtual void before_run(SimWorld& /*world*/) {}
  /// True: ichor dies here.
  virtual bool crash_at(SimWorld& /*world*/, const CrashPoint& /*point*/) { return false; }

  int fired() const { return fired_; }

 protected:
  void fire() { ++fired_; }
  /// Something else undid what the fault did, so nothing is promised of it any more.
  void withdraw() { fired_ = 0; }
  SeededRandom& random() { return random_; }

 private:
  SeededRandom random_;
  int fired_{0};
};

/// What is promised of every run that meets a fault, said before any run has met it. Nothing: when
/// the fault is over, the cluster becomes ready. Else it never ends by itself, and the runs must
/// end, not with success, but with one of these rows of the fault catalogue as their finding.
struct Recovery {
  std::string_view verdicts;  // "D8 O2"; empty: it ends by itself
  bool heals() const { return verdicts.empty(); }
  bool names(std::string_view finding) const;
};
inline constexpr Recovery heals{};
constexpr Recovery ends_with(std::string_view verdicts) { return {verdicts}; }

/// One row of the catalogue that the simulator can play.
struct FaultClass {
  std::string_view name;  // "lost-reply"
  std::string_view row;   // "N3", the row of the fault catalogue
  Recovery recovery;
  std::string_view summary;  // one line for --help and the report
  std::unique_ptr<Fault> (*make)(SeededRandom random);
  bool of_kubernetes{false};  // it needs a seed that goes on to the Kubernetes phases
  bool of_provider{false};    // it needs a seed whose machines are made
  bool of_upgrade{false};     // it needs a seed that goes on to an upgrade

  bool of_some_lines() const { return of_kubernetes || of_provider || of_upgrade; }
};

/// All of them; each is one file here and one line in catalogue.inc.
const std::vector<FaultClass>& fault_catalogue();

}  // namespace ichor::sim
