#include <charconv>
#include <fmt/format.h>
#include <map>
#include <string>

#include "model/provider_call.h"
#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "sim/kube/request.h"
#include "sim/provider/request.h"

namespace ichor::sim {

class JournalBeforeEffect final : public Checker {
 public:
  explicit JournalBeforeEffect(const Truth& truth) : Checker(truth), nodes_(truth) {}

  std::string_view id() const override { return "I8"; }
  std::string_view promise() const override {
    return "the intent is durable before a mutation leaves, its outcome before anything rests on "
           "it, "
           "and the outcome is true";
  }

  void on_process_started(int /*process*/) override { ++alive_; }
  void on_process_crashed(int process) override { process_gone(process); }
  void on_process_ended(int process, const RunResult& /*result*/) override {
    process_gone(process);
  }

  void on_durable(const JournalRecord& record) override {
    const bool intent = record.kind == RecordKind::intent;
    if (!intent && record.kind != RecordKind::outcome) return;
    if (record.call >= kCreateVm) return on_durable_of_vm(record, intent);
    if (record.call >= Call::kube_apply) return on_durable_of_kube(record, intent);
    if (record.call >= Call::cordon) return on_durable_of_drain(record, intent);
    State* state = nodes_.find(record.node);
    if (state == nullptr) return;
    Entry& entry = (*state)[record.call];
    if (intent) {
      entry = {};
      entry.seq = record.seq;
      entry.usable = alive_ > 0;
    } else {
      check_truth(record, entry);
      entry.usable = false;
      entry.untold_by = 0;
    }
  }

  void see_request(const Request& request) override {
    State* state = nodes_.find(request.planned);
    if (state == nullptr) return;
    if (rests_on_untold(request, *state)) {
      violated(fmt::format("{} left for {} while the outcome of a call it rests on was not durable",
                           name_of(request.call), request.planned.value()));
    }
    Entry& entry = (*state)[request.call];
    if (!entry.usable) {
      violated(fmt::format("{} left for {} without a durable intent of its own",
                           name_of(request.call), request.planned.value()));
    }
    entry.usable = false;
    entry.session = request.session;
    entry.sent_by = request.process;
  }

  void on_effect(const Request& request) override {
    State* state = nodes_.find(request.planned);
    if (state == nullptr) return;
    // A late effect of an earlier try says nothing about this one.
    Entry& entry = (*state)[request.call];
    if (entry.sent_by == request.process && entry.session == request.session) entry.happened = true;
  }

  void on_kube_request(const KubeRequest& request) override {
    if (!request.changes_something()) return;
    if (truth().upgraded) return check_drain(request);
    Entry& entry = objects_[key_of(request.call, to_text(request.ref))];
    if (!entry.usable) {
      violated(fmt::format("{} left for {} without a durable intent of its own",
                           name_of(request.call), to_text(request.ref)));
    }
    entry.usable = false;
    entry.session = request.number;
    entry.sent_by = request.process;
  }

  void on_vm_request(const VmRequest& request) override {
    Entry& entry = machines_[request.place.id];
    if (!entry.usable) {
      violated(fmt::format("the call to {} VM {} left without a durable intent of its own",
                           name_of(request.deed), request.place.id));
    }
    entry.usable = false;
    entry.sent_by = request.process;
  }

  void on_vm_task(const VmRequest& request, const ProviderTaskId& /*task*/) override {
    machines_[request.place.id].happened = true;
  }

  void on_kube_effect(const KubeRequest& request) override {
    Entry& entry = objects_[key_of(request.call, to_text(request.ref))];
    if (entry.session == request.number) entry.happened = true;
  }

  void see_reply(const Request& request, const Reply& /*reply*/) override {
    if (State* state = nodes_.find(request.planned)) {
      (*state)[request.call].untold_by = request.process;
    }
  }

 private:
  /// The latest intent for one call on one node, and what became of it.
  struct Entry {
    std::uint64_t seq{0};
    std::uint64_t session{0};
    int sent_by{0};
    bool usable{false};  // no request has left under it yet, and its process lives
    bool happened{false};
    int untold_by{0};  // a living process that has the answer and has not recorded it
  };
  using State = PerMutation<Entry>;

  static std::string key_of(Call call, const std::string& object) {
    return fmt::format("{} {}", static_cast<int>(call), object);
  }

  void on_durable_of_kube(const JournalRecord& record, bool intent) {
    Entry& entry = objects_[key_of(record.call, record.key)];
    if (intent) {
      entry = {};
      entry.seq = record.seq;
      entry.usable = alive_ > 0;
      return;
    }
    entry.usable = false;
    const bool done = record.outcome == OutcomeKind::done;
    const bool lies = done != entry.happened && record.outcome != OutcomeKind::unknown;
    if (record.ref == entry.seq && lies) {
      violated(fmt::format("record {} says that {} of {} was {}, which is not true", record.seq,
                           name_of(record.call), record.key, name_of(record.outcome)));
    }
  }

  /// What is done to a node in Kubernetes is one call on that node, whatever it takes there.
  void on_durable_of_drain(const JournalRecord& record, bool intent) {
    Entry& entry = drains_[key_of(record.call, record.node.value())];
    if (intent) entry.seq = record.seq;
    entry.usable = intent && alive_ > 0;
  }

  void check_drain(const KubeRequest& request) {
    const bool evicts = request.call == Call::evict;
    for (const auto& node : truth().nodes) {
      const std::string& name = node->spec().name.value();
      if (!evicts && request.ref.name != name) continue;
      const bool usable = evicts ? drains_[key_of(Call::evict, name)].usable
                                 : drains_[key_of(Call::cordon, name)].usable ||
                                       drains_[key_of(Call::uncordon, name)].usable;
      if (usable) return;
    }
    violated(fmt::format("{} left for {} without a durable intent of its own",
                         name_of(request.call), to_text(request.ref)));
  }

  void on_durable_of_vm(const JournalRecord& record, bool intent) {
    // "pve1/801" of an intent; an outcome refers to it.
    if (intent) {
      VmId id = 0;
      const char* begin = record.value.data() + record.value.find('/') + 1;
      std::from_chars(begin, record.value.data() + record.value.size(), id);
      Entry& entry = machines_[id];
      entry = {};
      entry.seq = record.seq;
      entry.usable = alive_ > 0;
      return;
    }
    for (auto& [id, entry] : machines_) {
      if (entry.seq != record.ref) continue;
      entry.usable = false;
      if (record.outcome != OutcomeKind::done || entry.happened) continue;
      violated(
          fmt::format("record {} says that VM {} was changed, which is not true", record.seq, id));
    }
  }

  void check_truth(const JournalRecord& record, const Entry& entry) {
    const bool of_this_intent = record.ref == entry.seq && entry.seq != 0;
    if (!of_this_intent) {
      violated(fmt::format("record {} tells the outcome of {}, which is not the open intent of {}",
                           record.seq, record.ref, record.node.value()));
    } else if (record.outcome == OutcomeKind::done && !entry.happened) {
      violated(fmt::format("record {} says that {} was done on {}, which is not true", record.seq,
                           name_of(record.call), record.node.value()));
    } else if (record.outcome == OutcomeKind::refused && entry.happened) {
      violated(fmt::format("record {} says that {} was refused by {}, but it took effect",
                           record.seq, name_of(record.call), record.node.value()));
    }
  }

  bool untold(Entry& entry, int process) const { return entry.untold_by == process; }

  /// What depends on what: a node's own calls on each other, the bootstrap on the configs of all
  /// control planes, and a worker's config on the bootstrap where workers come after the API.
  bool rests_on_untold(const Request& request, State& own) {
    const int process = request.process;
    if (untold(own[Call::apply_configuration], process) || untold(own[Call::bootstrap], process))
      return true;
    const ClusterProfile& profile = truth().profile;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (profile.nodes[i].role != Role::control_plane) continue;
      if (request.call == Call::bootstrap && untold(nodes_[i][Call::apply_configuration], process))
        return true;
      const bool after_api = profile.worker_order == WorkerOrder::after_api;
      const NodePlan* plan = profile.find(request.planned);
      const bool worker = plan != nullptr && plan->role == Role::worker;
      if (worker && after_api && untold(nodes_[i][Call::bootstrap], process)) return true;
    }
    return false;
  }

  void process_gone(int process) {
    --alive_;
    for (auto* entries : {&objects_, &drains_}) {
      for (auto& [key, entry] : *entries) entry.usable = entry.usable && alive_ > 0;
    }
    for (State& state : nodes_) {
      for (int call = static_cast<int>(Call::apply_configuration);
           call < static_cast<int>(Call::cordon); ++call) {
        Entry& entry = state[static_cast<Call>(call)];
        if (entry.untold_by == process) entry.untold_by = 0;
        if (alive_ == 0) entry.usable = false;
      }
    }
  }

  PerNode<State> nodes_;
  std::map<std::string, Entry> objects_;  // of Kubernetes, by call and object
  std::map<std::string, Entry> drains_;   // by call and node
  std::map<VmId, Entry> machines_;
  int alive_{0};
};

template std::unique_ptr<Checker> make_checker<JournalBeforeEffect>(const Truth& truth);

}  // namespace ichor::sim
