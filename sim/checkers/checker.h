#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/event.h"
#include "model/journal_record.h"
#include "model/machine_spec.h"
#include "model/node_view.h"
#include "model/run_result.h"
#include "phase/upgrade_plan.h"
#include "sim/node/node.h"

namespace ichor {
class MemoryStore;
struct ProcessCall;
}  // namespace ichor

namespace ichor::sim {

class SimKubernetes;
class VmHost;
struct KubeRequest;
struct VmRequest;
struct ReleaseInstall;

/// A request as it leaves ichor, before the network does anything to it.
struct Request {
  int process{0};            // which run of ichor, counted from 1 within the seed
  std::uint64_t session{0};  // one handshake; a new connection has a new number
  Call call{Call::open};
  const Node* node{nullptr};  // the machine at the other end; null if there is none
  NodeName planned;           // whose address was dialled, by the profile
  Digest payload;             // of the bytes that ApplyConfiguration carries
  bool maintenance{false};    // the session is with a maintenance server
  Fingerprint key;            // that the session saw; of mutations only
  std::string image{};        // of ImagePull and Upgrade
  bool effect_later{false};   // it has started something, whose end is the effect
  MonoTime deadline{kNever};
};

/// What ichor got back for a request.
struct Reply {
  std::optional<CallError> error;       // nullopt: success
  Known etcd_has_data{Known::unknown};  // for Call::etcd_data
  std::string_view secret{};            // for Call::kubeconfig
};

/// A file that a run leaves.
struct Written {
  int process{0};
  std::string_view name;
  std::string_view content;
};

/// The truth, outside ichor's reach: what a checker may look at at any time.
struct Truth {
  const Clock& clock;
  const ClusterProfile& profile;
  const ConfigSet& configs;
  const std::vector<std::unique_ptr<Node>>& nodes;  // in the order of the profile
  const Fabric& fabric;
  /// Records that survived so far, in order.
  const std::vector<JournalRecord>& journal;
  /// Where they are, and who holds the lock; null where a test made the records up.
  const MemoryStore* store{nullptr};
  /// The Kubernetes that the nodes make, where the seed goes on to it; else null.
  const SimKubernetes* kube{nullptr};
  /// What the operator wants to be upgraded by now, and the Kubernetes that drains its nodes; null:
  /// nothing yet.
  const UpgradePlan* upgrade{nullptr};
  const SimKubernetes* upgraded{nullptr};
  /// Where the machines are made, in seeds that make them; else null.
  const VmHost* provider{nullptr};
  /// What was true at this time may be what a run acts on now: all that a run can know is a little
  /// old, and older when it was paused.
  MonoTime known_from() const;
  MonoTime paused_at{MonoTime::min()};   // the last time that runs were paused
  MonoTime resumed_at{MonoTime::min()};  // and went on
  /// Set by the first checker that finds a violation.
  mutable bool violated{false};

  const Node* find(const NodeName& name) const;
};

/// One invariant. It watches everything that happens in a run and calls violated() when it does not
/// hold. A checker belongs to one seed and is thrown away after it.
class Checker {
 public:
  /// What a checker sees of reads, which are nearly all of the traffic; mutations it always sees.
  enum class Reads { none, requests, replies, both };

  explicit Checker(const Truth& truth, Reads reads = Reads::none) : truth_(truth), reads_(reads) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual std::string_view id() const = 0;       // "I3"
  virtual std::string_view promise() const = 0;  // one sentence

  virtual void on_process_started(int /*process*/) {}
  virtual void on_process_crashed(int /*process*/) {}
  virtual void on_process_cancelled(int /*process*/) {}
  virtual void on_process_ended(int /*process*/, const RunResult& /*result*/) {}
  void on_request(const Request& request) {
    if (watches(Reads::requests) || mutates(request.call)) see_request(request);
  }
  /// A mutation took effect on the machine.
  virtual void on_effect(const Request& /*request*/) {}
  void on_reply(const Request& request, const Reply& reply) {
    if (watches(Reads::replies) || mutates(request.call)) see_reply(request, reply);
  }
  virtual void on_kube_request(const KubeRequest& /*request*/) {}
  /// It took effect; of an install, that the program has ended well.
  virtual void on_kube_effect(const KubeRequest& /*request*/) {}
  virtual void on_kube_reply(const KubeRequest& /*request*/) {}
  /// helm is about to write a revision.
  virtual void on_install(const ReleaseInstall& /*install*/) {}
  /// A change of a machine leaves ichor for its provider; and it was taken, as this task.
  virtual void on_vm_request(const VmRequest& /*request*/) {}
  virtual void on_vm_task(const VmRequest& /*request*/, const ProviderTaskId& /*task*/) {}
  /// Any program that ichor runs, and any address that it asks.
  virtual void on_program(int /*process*/, const ProcessCall& /*call*/) {}
  virtual void on_web(int /*process*/, const std::string& /*url*/) {}
  virtual void on_durable(const JournalRecord& /*record*/) {}
  /// From now on (or no longer) what the journal's disk holds is not what was written to it.
  virtual void on_journal_damaged(bool /*damaged*/) {}
  virtual void on_written(const Written& /*written*/) {}
  /// Only for those who want to hear events: there are as many as calls.
  virtual bool hears() const { return false; }
  virtual void on_event(int /*process*/, const Event& /*event*/) {}
  /// So many connections of the run are open now.
  virtual void on_sessions(int /*process*/, int /*open*/) {}
  /// Another client than ichor called a node.
  virtual void on_outside_act(const Node& /*node*/, Call /*call*/) {}
  /// Anything about the node that a watch could see has changed.
  virtual void on_node_changed(const Node& /*node*/) {}
  /// From here on no fault fires.
  virtual void on_quiet() {}
  /// A run was repeated on a cluster that had been brought up.
  virtual void on_repeated(const RunResult& /*result*/) {}
  virtual void at_end() {}

  bool watches(Reads reads) const { return reads_ == reads || reads_ == Reads::both; }

  /// The first violation, empty while the invariant holds.
  const std::string& violation() const { return violation_; }

 protected:
  virtual void see_request(const Request& /*request*/) {}
  virtual void see_reply(const Request& /*request*/, const Reply& /*reply*/) {}

  void violated(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
    truth_.violated = true;
  }
  const Truth& truth() const { return truth_; }

 private:
  const Truth& truth_;
  Reads reads_;
  std::string violation_;
};

/// One of each, as listed in checkers.cc.
std::vector<std::unique_ptr<Checker>> make_checkers(const Truth& truth);

}  // namespace ichor::sim
