#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

namespace {

constexpr Duration kFresh = std::chrono::seconds(60);

}  // namespace

/// Two sides of one rule. A bootstrap rests on a fresh "no" of every control plane, given to the
/// very process that sends it; and a mutation whose answer was lost is sent again only by a process
/// that has looked at the node since.
class UnknownIsNotNo final : public Checker {
 public:
  explicit UnknownIsNotNo(const Truth& truth) : Checker(truth, Reads::replies), nodes_(truth) {}

  std::string_view id() const override { return "I3"; }
  std::string_view promise() const override {
    return "what was not answered is unknown: Bootstrap needs everybody's fresh no, and a lost "
           "call is "
           "not repeated without a look";
  }

  void on_process_started(int /*process*/) override { ++alive_; }
  void on_process_crashed(int process) override { process_gone(process); }
  void on_process_ended(int process, const RunResult& /*result*/) override {
    process_gone(process);
  }

  void see_request(const Request& request) override {
    if (request.call == Call::bootstrap) check_everybody_said_no(request);
    State* state = nodes_.find(request.planned);
    if (state == nullptr) return;
    Sent& sent = state->sent[request.call];
    if (sent.lost && state->looked_by != request.process) {
      violated(fmt::format("{} may have happened on {} and was sent again without a look at it",
                           name_of(request.call), request.planned.value()));
    }
    sent.lost = false;
    sent.by = request.process;
    // From now on the node is not what it said it was.
    state->no_by = 0;
  }

  void see_reply(const Request& request, const Reply& reply) override {
    const bool lost = reply.error && reply.error->progress == Progress::sent;
    if (mutates(request.call)) {
      State* state = lost ? nodes_.find(request.planned) : nullptr;
      if (state != nullptr) lose(*state, request.call);
      return;
    }
    const bool is_look = request.call == Call::machine_status || request.call == Call::etcd_data;
    if (!is_look && !request.maintenance) return;
    State* state = nodes_.find(request);
    if (state == nullptr) return;
    if (is_look && !reply.error) state->looked_by = request.process;
    if (request.maintenance && request.call != Call::open) {
      // Whatever it answered: a node in maintenance mode runs no etcd.
      if (!reply.error || reply.error->progress == Progress::answered) say_no(*state, request);
    } else if (request.call == Call::etcd_data) {
      if (reply.etcd_has_data == Known::no && !reply.error) {
        say_no(*state, request);
      } else {
        state->no_by = 0;
      }
    }
  }

  void on_durable(const JournalRecord& record) override {
    const bool intent = record.kind == RecordKind::intent;
    if (!intent && record.kind != RecordKind::outcome && record.kind != RecordKind::node_excluded) {
      return;
    }
    State* state = nodes_.find(record.node);
    if (state == nullptr) return;
    if (record.kind == RecordKind::node_excluded) {
      state->excluded = true;
      return;
    }
    Sent& sent = state->sent[record.call];
    sent.open = intent;
    if (intent && alive_ == 0) {
      // It reached the disk as its process died, so it is unknown whether the call left.
      lose(*state, record.call);
    } else if (!intent && record.outcome != OutcomeKind::unknown) {
      sent.lost = false;
    }
  }

 private:
  struct Sent {
    bool open{false};  // a durable intent waits for its outcome
    bool lost{false};  // it may have happened
    int by{0};
  };
  struct State {
    PerMutation<Sent> sent;
    int looked_by{0};  // who saw the node since something was lost
    int no_by{0};      // the process that read "no etcd data", zero if none
    MonoTime no_at{};
    bool excluded{false};
  };

  static void lose(State& state, Call call) {
    state.sent[call].lost = true;
    state.looked_by = 0;
  }

  void say_no(State& state, const Request& request) {
    state.no_by = request.process;
    state.no_at = truth().clock.now();
  }

  void process_gone(int process) {
    --alive_;
    for (State& state : nodes_) {
      for (const Call call : {Call::apply_configuration, Call::bootstrap}) {
        const Sent& sent = state.sent[call];
        if (sent.open && (sent.by == process || alive_ == 0)) lose(state, call);
      }
    }
  }

  void check_everybody_said_no(const Request& request) {
    const MonoTime now = truth().clock.now();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const NodePlan& plan = truth().profile.nodes[i];
      const State& state = nodes_[i];
      if (plan.role != Role::control_plane || state.excluded) continue;
      if (state.no_by != request.process) {
        violated(fmt::format("Bootstrap was sent although {} had not said that it has no etcd data",
                             plan.name.value()));
      } else if (now - state.no_at > kFresh) {
        violated(fmt::format("Bootstrap was sent on an answer of {} that was {} old",
                             plan.name.value(), to_text(now - state.no_at)));
      }
    }
  }

  PerNode<State> nodes_;
  int alive_{0};
};

template std::unique_ptr<Checker> make_checker<UnknownIsNotNo>(const Truth& truth);

}  // namespace ichor::sim
