#include "sim/network.h"

#include <algorithm>
#include <utility>

#include "async/slot.h"
#include "sim/canaries.h"
#include "sim/hang.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

CallError lost(Call call, Progress progress, Code code, std::string_view text) {
  return {call, progress, TlsVerdict::fine, code, std::string(text)};
}

CallError ended(Call call, Wake wake) {
  if (wake == Wake::cancelled)
    return lost(call, Progress::sent, Code::cancelled, "context canceled");
  return lost(call, Progress::sent, Code::deadline_exceeded, "context deadline exceeded");
}

/// What of an answer the checkers want to see.
template <class T>
Reply reply_of(const CallResult<T>& result) {
  Reply reply;
  if (!result) reply.error = result.error();
  return reply;
}

/// The node's last events as text. Its kernel log shows the same.
auto last_events(std::string_view method, int count) {
  return [method, count](Node& node, const Caller& caller) -> Answer<std::vector<std::string>> {
    if (auto gate = node.admit(caller, "machine.MachineService", method, Need::reader); !gate) {
      return forward_error(gate);
    }
    const std::vector<NodeEvent> events = node.events();
    std::vector<std::string> lines;
    const auto wanted = static_cast<std::size_t>(count);
    for (std::size_t i = events.size() - std::min(events.size(), wanted); i < events.size(); ++i) {
      lines.push_back(events[i].name + " " + events[i].action + " " + events[i].message);
    }
    return lines;
  };
}

/// One handshake with one machine.
class SimSession final : public TalosSession {
 public:
  SimSession(SimWorld& world, int process, Port& port, NodeName planned)
      : world_(world),
        process_(process),
        port_(port),
        epoch_(port.epoch),
        id_(world.next_session()),
        planned_(std::move(planned)) {
    const bool maintenance = port.listener == Listener::maintenance;
    peer_.mode = maintenance ? PeerMode::maintenance : PeerMode::configured;
    peer_.fingerprint = port.node->fingerprint();
    caller_.anonymous = maintenance;
    caller_.admin = !maintenance;
    caller_.reader = true;
    world_.count_session(process_, 1);
  }
  ~SimSession() override { world_.count_session(process_, -1); }
  SimSession(const SimSession&) = delete;
  SimSession& operator=(const SimSession&) = delete;

  const Peer& peer() const override { return peer_; }

  Task<CallResult<TalosVersion>> version(Context context) override {
    return read<TalosVersion>(context, Call::version, [](Node& node, const Caller& caller) {
      return node.version_resource(caller);
    });
  }
  Task<CallResult<MachineStatus>> machine_status(Context context) override {
    return read<MachineStatus>(context, Call::machine_status, [](Node& node, const Caller& caller) {
      return node.machine_status(caller);
    });
  }
  Task<CallResult<Identity>> identity(Context context) override {
    return read<Identity>(context, Call::identity,
                          [](Node& node, const Caller& caller) { return node.identity(caller); });
  }
  Task<CallResult<std::vector<Disk>>> disks(Context context) override {
    return read<std::vector<Disk>>(
        context, Call::disks, [](Node& node, const Caller& caller) { return node.disks(caller); });
  }
  Task<CallResult<std::vector<ServiceStatus>>> services(Context context) override {
    return read<std::vector<ServiceStatus>>(
        context, Call::services,
        [](Node& node, const Caller& caller) { return node.services(caller); });
  }
  Task<CallResult<bool>> time_synced(Context context) override {
    return read<bool>(context, Call::time_status,
                      [](Node& node, const Caller& caller) { return node.time_synced(caller); });
  }
  Task<CallResult<std::optional<Digest>>> config_digest(Context context) override {
    SimWorld& world = world_;
    return read<std::optional<Digest>>(
        context, Call::config_digest,
        [&world](Node& node, const Caller& caller) -> Answer<std::optional<Digest>> {
          auto text = node.machine_config(caller);
          if (!text) return forward_error(text);
          if (!*text) return std::optional<Digest>();
          return std::optional<Digest>(world.canonical_digest(**text, node));
        });
  }
  Task<CallResult<bool>> etcd_has_data(Context context) override {
    return read<bool>(context, Call::etcd_data,
                      [](Node& node, const Caller& caller) { return node.etcd_has_data(caller); });
  }
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context context) override {
    return read<std::vector<EtcdMember>>(
        context, Call::etcd_members,
        [](Node& node, const Caller& caller) { return node.etcd_members(caller); });
  }
  Task<CallResult<EtcdStatus>> etcd_status(Context context) override {
    return read<EtcdStatus>(context, Call::etcd_status, [](Node& node, const Caller& caller) {
      return node.etcd_status(caller);
    });
  }
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context context) override {
    return read<std::vector<EtcdAlarm>>(
        context, Call::etcd_alarms,
        [](Node& node, const Caller& caller) { return node.etcd_alarms(caller); });
  }
  Task<CallResult<SecretString>> kubeconfig(Context context) override {
    return read<SecretString>(context, Call::kubeconfig,
                              [](Node& node, const Caller& caller) -> Answer<SecretString> {
                                auto text = node.kubeconfig(caller);
                                if (!text) return forward_error(text);
                                return SecretString(*std::move(text) + kubeconfig_canary());
                              });
  }
  Task<CallResult<Hardware>> hardware(Context context) override {
    return read<Hardware>(context, Call::hardware,
                          [](Node& node, const Caller& caller) { return node.hardware(caller); });
  }
  Task<CallResult<std::vector<std::string>>> dmesg(Context context, int lines) override {
    return read<std::vector<std::string>>(context, Call::dmesg, last_events("Dmesg", lines));
  }
  Task<CallResult<std::vector<std::string>>> events(Context context, int count) override {
    return read<std::vector<std::string>>(context, Call::events, last_events("Events", count));
  }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context context, Bell& changed) override;
  Task<Outcome> apply_configuration(Context context, ApplyRequest request) override;
  Task<Outcome> bootstrap(Context context) override;
  Task<Outcome> reset(Context context, ResetRequest reset) override;

 private:
  bool connected() const { return !broken_ && port_.epoch == epoch_; }

  Request request_for(Call call, Context context) const {
    Request request;
    request.process = process_;
    request.session = id_;
    request.call = call;
    request.node = port_.node;
    request.planned = planned_;
    request.maintenance = peer_.mode == PeerMode::maintenance;
    if (mutates(call)) request.key = peer_.fingerprint;
    request.deadline = context.deadline;
    return request;
  }

  /// Carries one call over the network. `execute` runs on the node when the request arrives, if it
  /// does; a lost reply is lost after that.
  template <class T, class Fn>
  Task<CallResult<T>> carry(Context context, Request request, Fn execute) {
    if (world_.crash_here(process_, {CrashSite::before_call, name_of(request.call)})) {
      co_await hang(world_.clock());
    }
    if (!connected()) {
      co_return tl::unexpected(lost(request.call, Progress::not_sent, Code::unavailable,
                                    "connection lost before the request was sent"));
    }
    world_.note_request(request);
    const Passage passage = world_.passage(request.call, port_.node, request.maintenance);
    auto slot = std::make_shared<Slot<CallResult<T>>>();
    dispatch<T>(request, passage, slot, std::move(execute));
    const Wake wake = co_await Slot<CallResult<T>>::ready(slot, context);
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    CallResult<T> result =
        wake == Wake::signalled ? slot->take() : tl::unexpected(ended(request.call, wake));
    if (!result && result.error().progress == Progress::sent) broken_ = true;
    Reply reply = reply_of(result);
    if constexpr (std::is_same_v<T, bool>) {
      if (result) reply.etcd_has_data = *result ? Known::yes : Known::no;
    }
    if constexpr (std::is_same_v<T, SecretString>) {
      if (result) reply.secret = result->reveal();
    }
    world_.note_reply(request, reply);
    if (world_.crash_here(process_, {CrashSite::after_call, name_of(request.call)})) {
      co_await hang(world_.clock());
    }
    co_return result;
  }

  template <class T, class Fn>
  void dispatch(const Request& request, const Passage& passage,
                const std::shared_ptr<Slot<CallResult<T>>>& slot, Fn execute) {
    if (passage.lose_request) return;
    SimWorld& world = world_;
    Port& port = port_;
    const std::uint64_t epoch = epoch_;
    const Caller caller = caller_;
    const Duration one_way = world_.plan().latency + passage.delay;
    auto arrive = [&world, &port, epoch, caller, request, passage, slot, one_way,
                   execute = std::move(execute)] {
      const auto answer_later = [&](CallResult<T> result) {
        world.clock().call_at(later(world.clock().now(), one_way),
                              [slot, result = std::move(result)] { slot->set(result); });
      };
      if (port.epoch != epoch) {
        // A machine that went down says nothing; one whose apid was replaced resets the connection.
        if (port.listener == Listener::silent || epoch < port.mute_epochs_before) return;
        answer_later(tl::unexpected(
            lost(request.call, Progress::sent, Code::unavailable, "connection reset by peer")));
        return;
      }
      if (port.node->frozen()) return;
      if (passage.answer) {
        CallError error{request.call,         Progress::answered,   TlsVerdict::fine,
                        passage.answer->code, passage.answer->text, {},
                        passage.answer->fault};
        answer_later(tl::unexpected(std::move(error)));
        return;
      }
      Answer<T> answer = execute(*port.node, caller);
      if (answer && mutates(request.call)) world.note_effect(request);
      if (passage.lose_reply) return;
      if (passage.break_after) {
        answer_later(tl::unexpected(lost(request.call, Progress::sent, Code::unavailable,
                                         "error reading from server: EOF")));
      } else if (answer) {
        answer_later(CallResult<T>(*std::move(answer)));
      } else {
        CallError error{request.call,
                        Progress::answered,
                        TlsVerdict::fine,
                        answer.error().code,
                        std::move(answer.error().text),
                        {},
                        answer.error().fault};
        answer_later(tl::unexpected(std::move(error)));
      }
    };
    world_.clock().call_at(later(world_.clock().now(), one_way), std::move(arrive));
  }

  template <class T, class Fn>
  Task<CallResult<T>> read(Context context, Call call, Fn execute) {
    return carry<T>(context, request_for(call, context), execute);
  }

  SimWorld& world_;
  int process_;
  Port& port_;
  std::uint64_t epoch_;
  std::uint64_t id_;
  NodeName planned_;
  Peer peer_;
  Caller caller_;
  bool broken_{false};
};

/// A call that has no value to give.
struct Nothing {};

Outcome outcome_of(CallResult<Nothing> result) {
  return result ? Outcome::done() : Outcome::failed(std::move(result).error());
}

Task<Outcome> SimSession::apply_configuration(Context context, ApplyRequest apply) {
  Request request = request_for(Call::apply_configuration, context);
  request.payload = apply.config->digest;
  // Who is found at an address that no plan names is meant by what it is sent.
  if (request.planned.value().empty()) request.planned = world_.config_owner(request.payload);
  const std::string bytes(apply.config->bytes.reveal());
  const bool dry_run = apply.dry_run;
  const auto mode = apply.no_reboot ? Node::ApplyMode::no_reboot : Node::ApplyMode::automatic;
  auto execute = [bytes, dry_run, mode](Node& node, const Caller& caller) -> Answer<Nothing> {
    auto reply = node.apply(caller, bytes, mode, dry_run);
    if (!reply) return forward_error(reply);
    const bool held_back =
        reply->mode == Node::ApplyMode::staged || reply->mode == Node::ApplyMode::try_mode;
    if (!held_back || dry_run) return Nothing{};
    return tl::unexpected(Refusal{
        Code::aborted,
        "the node took the config in another mode than asked for: " + reply->mode_details, "A6"});
  };
  co_return outcome_of(co_await carry<Nothing>(context, std::move(request), std::move(execute)));
}

Task<Outcome> SimSession::bootstrap(Context context) {
  Request request = request_for(Call::bootstrap, context);
  auto execute = [](Node& node, const Caller& caller) -> Answer<Nothing> {
    auto reply = node.bootstrap(caller);
    if (!reply) return forward_error(reply);
    return Nothing{};
  };
  co_return outcome_of(co_await carry<Nothing>(context, std::move(request), execute));
}

Task<Outcome> SimSession::reset(Context context, ResetRequest reset) {
  auto execute = [reset](Node& node, const Caller& caller) -> Answer<Nothing> {
    auto reply = node.reset(caller, reset);
    if (!reply) return forward_error(reply);
    return Nothing{};
  };
  co_return outcome_of(
      co_await carry<Nothing>(context, request_for(Call::reset, context), std::move(execute)));
}

Task<CallResult<std::unique_ptr<Watch>>> SimSession::watch(Context context, Bell& changed) {
  Request request = request_for(Call::watch, context);
  const auto opened =
      co_await carry<Nothing>(context, std::move(request),
                              [](Node&, const Caller&) -> Answer<Nothing> { return Nothing{}; });
  if (!opened) co_return forward_error(opened);
  if (!connected()) {
    co_return tl::unexpected(
        lost(Call::watch, Progress::sent, Code::unavailable, "connection reset by peer"));
  }
  std::unique_ptr<Watch> watch = std::make_unique<SimWatch>(world_, port_, changed);
  co_return watch;
}

}  // namespace

Task<CallResult<std::unique_ptr<TalosSession>>> SimTalosApi::open(Context context,
                                                                  IpAddress address,
                                                                  PeerDemand demand) {
  const std::string_view what = name_of(Call::open);
  if (world_.crash_here(process_, {CrashSite::before_call, what})) co_await hang(world_.clock());
  auto opened = co_await connect(context, std::move(address), std::move(demand));
  if (world_.crash_here(process_, {CrashSite::after_call, what})) co_await hang(world_.clock());
  co_return opened;
}

Task<Sighting> SimTalosApi::probe(Context context, IpAddress address, ProbeOptions options) {
  Sighting seen;
  seen.address = address;
  const auto opened =
      co_await open(context.within(options.connect), std::move(address), PeerDemand{});
  if (!opened) {
    const CallError& error = opened.error();
    const bool refused = error.code == Code::unavailable && error.tls == TlsVerdict::fine;
    if (refused) seen.kind = PeerKind::refused;
    if (error.tls == TlsVerdict::foreign_ca) seen.kind = PeerKind::foreign;
    co_return seen;
  }
  const Peer& peer = (*opened)->peer();
  seen.kind = peer.mode == PeerMode::maintenance ? PeerKind::maintenance : PeerKind::ours;
  seen.fingerprint = peer.fingerprint;
  co_await read_machine(context, **opened, options, seen);
  co_return seen;
}

Task<CallResult<std::unique_ptr<TalosSession>>> SimTalosApi::connect(Context context,
                                                                     IpAddress address,
                                                                     PeerDemand demand) {
  Port* port = world_.port_at(address);
  Request request;
  request.process = process_;
  request.node = port ? port->node : nullptr;
  const NodePlan* planned = world_.planned_at(address);
  if (planned) request.planned = planned->name;
  request.deadline = context.deadline;
  world_.note_request(request);
  const Passage passage = world_.passage(Call::open, request.node ? port->node : nullptr, false);
  const auto failed = [&](CallError error) {
    Reply reply;
    reply.error = error;
    world_.note_reply(request, reply);
    return tl::unexpected(std::move(error));
  };
  const Duration round_trip = 2 * (world_.plan().latency + passage.delay);
  const bool unheard = !port || port->listener == Listener::silent || passage.lose_request;
  const Wake wake = co_await sleep_for(context, unheard ? Duration::max() : round_trip);
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  if (wake == Wake::cancelled) {
    co_return failed(lost(Call::open, Progress::not_sent, Code::cancelled, "context canceled"));
  }
  if (wake == Wake::timed_out || port->listener == Listener::silent) {
    co_return failed(
        lost(Call::open, Progress::not_sent, Code::deadline_exceeded, "connect: i/o timeout"));
  }
  if (passage.refuse || port->listener == Listener::refused) {
    co_return failed(
        lost(Call::open, Progress::not_sent, Code::unavailable, "connect: connection refused"));
  }
  if (passage.tls) co_return failed(*passage.tls);
  const bool maintenance = port->listener == Listener::maintenance;
  if (maintenance && !demand.allows(port->node->fingerprint())) {
    co_return failed({Call::open, Progress::not_sent, TlsVerdict::wrong_pin, Code::unavailable,
                      "leaf peer certificate doesn't match the provided fingerprints",
                      port->node->fingerprint()});
  }
  const Digest our_ca = world_.os_ca();
  if (!maintenance && port->node->operating_system_ca() != our_ca) {
    co_return failed({Call::open, Progress::not_sent, TlsVerdict::foreign_ca, Code::unavailable,
                      "x509: certificate signed by unknown authority"});
  }
  world_.note_reply(request, Reply{});
  std::unique_ptr<TalosSession> session =
      std::make_unique<SimSession>(world_, process_, *port, request.planned);
  co_return session;
}

Task<CallResult<void>> SimKubeApi::ready(Context context, const SecretString&) {
  const std::string_view what = name_of(Call::kube_ready);
  if (world_.crash_here(process_, {CrashSite::before_call, what})) co_await hang(world_.clock());
  CallResult<void> result = co_await ask(context);
  if (world_.crash_here(process_, {CrashSite::after_call, what})) co_await hang(world_.clock());
  co_return result;
}

Task<CallResult<void>> SimKubeApi::ask(Context context) {
  Request request;
  request.process = process_;
  request.call = Call::kube_ready;
  request.deadline = context.deadline;
  world_.note_request(request);
  const Passage passage = world_.passage(Call::kube_ready, nullptr, false);
  const Duration round_trip = 2 * (world_.plan().latency + passage.delay);
  const Wake wake =
      co_await sleep_for(context, passage.lose_request ? Duration::max() : round_trip);
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  CallResult<void> result;
  if (wake != Wake::signalled) {
    result = tl::unexpected(ended(Call::kube_ready, wake));
  } else if (passage.tls) {
    result = tl::unexpected(*passage.tls);
  } else if (!world_.api_answers() || passage.refuse) {
    result = tl::unexpected(
        lost(Call::kube_ready, Progress::not_sent, Code::unavailable, "connection refused"));
  }
  world_.note_reply(request, reply_of(result));
  co_return result;
}

SimWatch::SimWatch(SimWorld& world, Port& port, Bell& bell)
    : world_(world), port_(&port), bell_(bell) {
  port.watches.push_back(this);
}

SimWatch::~SimWatch() {
  if (pending_ != 0) world_.clock().cancel(pending_);
  if (port_) std::erase(port_->watches, this);
}

void SimWatch::ring_after(Duration delay) {
  if (pending_ != 0) return;
  pending_ = world_.clock().call_at(later(world_.clock().now(), delay), [this] {
    pending_ = 0;
    ring();
  });
}

void SimWatch::ring() {
  const Stage stage = port_ && port_->node ? port_->node->stage() : stage_;
  std::exchange(stage_, stage) == stage ? bell_.ring() : bell_.ring_urgently();
}

void SimWatch::node_changed() {
  const int copies = world_.watch_copies();
  if (copies == 0) return;
  ring_after(world_.plan().latency);
  if (copies > 1) ring();
}

void SimWatch::connection_forgotten() {
  std::erase(port_->watches, this);
  port_ = nullptr;
}

void SimWatch::connection_lost() {
  alive_ = false;
  std::erase(port_->watches, this);
  port_ = nullptr;
  ring_after(world_.plan().latency);
}

}  // namespace ichor::sim
