#include "sim/session.h"

#include <algorithm>
#include <utility>

#include "async/slot.h"
#include "sim/canaries.h"
#include "sim/hang.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

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

/// What a call does on its node. The value that it brings stays here until the reply is there.
struct NodeCode {
  NodeCode() = default;
  NodeCode(const NodeCode&) = delete;
  NodeCode& operator=(const NodeCode&) = delete;
  virtual ~NodeCode() = default;
  virtual Answer<void> run(Node& node, const Caller& caller) = 0;
  /// What the checkers see of the value.
  virtual void describe(Reply& reply) const = 0;
};

template <class T, class Fn>
struct CodeFor final : NodeCode {
  explicit CodeFor(Fn code) : execute(std::move(code)) {}

  Answer<void> run(Node& node, const Caller& caller) override {
    Answer<T> answer = execute(node, caller);
    if (!answer) return forward_error(answer);
    value = *std::move(answer);
    return {};
  }
  void describe([[maybe_unused]] Reply& reply) const override {
    if constexpr (std::is_same_v<T, bool>) reply.etcd_has_data = *value ? Known::yes : Known::no;
    if constexpr (std::is_same_v<T, SecretString>) reply.secret = value->reveal();
  }

  Fn execute;
  std::optional<T> value;
};

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
  Task<CallResult<void>> etcd_snapshot(Context context, ByteSink& sink) override;
  Task<CallResult<std::optional<SecretString>>> machine_config(Context context) override {
    return read<std::optional<SecretString>>(
        context, Call::machine_config,
        [](Node& node, const Caller& caller) -> Answer<std::optional<SecretString>> {
          auto text = node.machine_config(caller);
          if (!text) return forward_error(text);
          if (!*text) return std::optional<SecretString>();
          return std::optional<SecretString>(SecretString(**std::move(text)));
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
  Task<Outcome> bootstrap(Context context, BootstrapRequest bootstrap) override;
  Task<Outcome> reset(Context context, ResetRequest reset) override;
  Task<Outcome> change_etcd(Context context, EtcdChange change) override;
  Task<Outcome> etcd_recover(Context context, const ByteSource& snapshot) override;
  Task<CallResult<UpgradeView>> upgrade_state(Context context) override {
    return read<UpgradeView>(context, Call::upgrade_state, [](Node& node, const Caller& caller) {
      return node.upgrade_state(caller);
    });
  }
  Task<Outcome> pull_image(Context context, UpgradeRequest upgrade) override;
  Task<Outcome> upgrade(Context context, UpgradeRequest upgrade) override;
  Task<Outcome> reboot(Context context) override;

 private:
  /// Follows an installer to its end, or until the connection breaks.
  Task<Outcome> follow_installer(Context context, Request request, std::uint64_t number);

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

  /// Carries one call over the network. It runs on the node when the request arrives, if it does; a
  /// lost reply is lost after that.
  Task<CallResult<void>> exchange(Context context, Request request, std::shared_ptr<NodeCode> code);
  void dispatch(const Request& request, const Passage& passage,
                std::shared_ptr<Slot<CallResult<void>>> slot, std::shared_ptr<NodeCode> code);

  template <class T, class Fn>
  Task<CallResult<T>> carry(Context context, Request request, Fn execute) {
    auto code = std::make_shared<CodeFor<T, Fn>>(std::move(execute));
    const CallResult<void> ended = co_await exchange(context, std::move(request), code);
    if (!ended) co_return forward_error(ended);
    co_return *std::move(code->value);
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

Task<CallResult<void>> SimSession::exchange(Context context, Request request,
                                            std::shared_ptr<NodeCode> code) {
  if (world_.crash_here(process_, {CrashSite::before_call, name_of(request.call)})) {
    co_await hang(world_.clock());
  }
  if (!connected()) {
    co_return tl::unexpected(lost(request.call, Progress::not_sent, Code::unavailable,
                                  "connection lost before the request was sent"));
  }
  world_.note_request(request);
  const Passage passage = world_.passage(request.call, port_.node, request.maintenance);
  auto slot = std::make_shared<Slot<CallResult<void>>>();
  dispatch(request, passage, slot, code);
  const Wake wake = co_await Slot<CallResult<void>>::ready(slot, context);
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  CallResult<void> result =
      wake == Wake::signalled ? slot->take() : tl::unexpected(ended(request.call, wake));
  if (!result && result.error().progress == Progress::sent) broken_ = true;
  Reply reply = reply_of(result);
  if (result) code->describe(reply);
  world_.note_reply(request, reply);
  if (world_.crash_here(process_, {CrashSite::after_call, name_of(request.call)})) {
    co_await hang(world_.clock());
  }
  co_return result;
}

void SimSession::dispatch(const Request& request, const Passage& passage,
                          std::shared_ptr<Slot<CallResult<void>>> slot,
                          std::shared_ptr<NodeCode> code) {
  if (passage.lose_request) return;
  const Duration one_way = world_.plan().latency + passage.delay;
  auto arrive = [&world = world_, &port = port_, epoch = epoch_, caller = caller_, request, passage,
                 slot = std::move(slot), one_way, code = std::move(code)] {
    const auto answer_later = [&](CallResult<void> result) {
      world.clock().call_at(
          later(world.clock().now(), one_way),
          [slot, result = std::move(result)]() mutable { slot->set(std::move(result)); });
    };
    if (port.epoch != epoch) {
      // A machine that went down says nothing; one whose apid was replaced resets the connection.
      if (port.listener == Listener::silent || epoch < port.mute_epochs_before) return;
      answer_later(tl::unexpected(
          lost(request.call, Progress::sent, Code::unavailable, "connection reset by peer")));
      return;
    }
    if (port.node->frozen()) return;
    const auto refused = [&](Code status, std::string text, FaultId fault) {
      answer_later(tl::unexpected(CallError{request.call,
                                            Progress::answered,
                                            TlsVerdict::fine,
                                            status,
                                            std::move(text),
                                            {},
                                            std::move(fault)}));
    };
    if (passage.answer) {
      refused(passage.answer->code, passage.answer->text, passage.answer->fault);
      return;
    }
    Answer<void> answer = code->run(*port.node, caller);
    if (answer && mutates(request.call) && !request.effect_later) world.note_effect(request);
    if (passage.lose_reply) return;
    if (passage.break_after) {
      answer_later(tl::unexpected(
          lost(request.call, Progress::sent, Code::unavailable, "error reading from server: EOF")));
    } else if (answer) {
      answer_later({});
    } else {
      refused(answer.error().code, std::move(answer.error().text), answer.error().fault);
    }
  };
  world_.clock().call_at(later(world_.clock().now(), one_way), std::move(arrive));
}

/// A call that has no value to give.
struct Nothing {};

template <class T>
Answer<Nothing> plain(Answer<T> answer) {
  if (!answer) return forward_error(answer);
  return Nothing{};
}

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

Task<Outcome> SimSession::bootstrap(Context context, BootstrapRequest bootstrap) {
  Request request = request_for(Call::bootstrap, context);
  auto execute = [bootstrap](Node& node, const Caller& caller) -> Answer<Nothing> {
    auto reply = node.bootstrap(caller, bootstrap.recover);
    if (!reply) return forward_error(reply);
    return Nothing{};
  };
  co_return outcome_of(co_await carry<Nothing>(context, std::move(request), execute));
}

Task<Outcome> SimSession::pull_image(Context context, UpgradeRequest upgrade) {
  Request request = request_for(Call::pull_image, context);
  request.image = upgrade.image;
  const auto pull = [image = upgrade.image](Node& node, const Caller& caller) {
    return plain(node.pull_image(caller, image));
  };
  co_return outcome_of(co_await carry<Nothing>(context, std::move(request), pull));
}

Task<Outcome> SimSession::upgrade(Context context, UpgradeRequest upgrade) {
  Request request = request_for(Call::upgrade, context);
  request.image = upgrade.image;
  request.effect_later = upgrade.lifecycle;
  const auto started = std::make_shared<std::uint64_t>(0);
  const auto start = [upgrade, started](Node& node, const Caller& caller) -> Answer<Nothing> {
    if (!upgrade.lifecycle) return plain(node.upgrade(caller, upgrade.image));
    auto number = node.start_installer(caller, upgrade.image);
    if (!number) return forward_error(number);
    *started = *number;
    return Nothing{};
  };
  auto answer = co_await carry<Nothing>(context, request, start);
  if (!answer || !upgrade.lifecycle) co_return outcome_of(std::move(answer));
  co_return co_await follow_installer(context, std::move(request), *started);
}

Task<Outcome> SimSession::follow_installer(Context context, Request request, std::uint64_t number) {
  for (;;) {
    if (world_.process_dead(process_)) co_await hang(world_.clock());
    if (context.expired() || context.cancelled()) {
      co_return Outcome::failed(ended(request.call, Wake::timed_out));
    }
    const Passage passage = world_.passage(request.call, port_.node, request.maintenance);
    if (!connected() || passage.break_after) {
      broken_ = true;
      co_return Outcome::failed(
          lost(request.call, Progress::sent, Code::unavailable, "error reading from server: EOF"));
    }
    const std::optional<int> exit = port_.node->installer_exit(number);
    if (exit == 0) world_.note_effect(request);
    if (exit == 0) co_return Outcome::done();
    if (exit) {
      co_return Outcome::failed({request.call,
                                 Progress::answered,
                                 TlsVerdict::fine,
                                 Code::unknown,
                                 "the installer ended with exit code 1: no space left on device",
                                 {},
                                 "U4"});
    }
    co_await sleep_for(context, std::chrono::seconds(1));
  }
}

Task<Outcome> SimSession::reboot(Context context) {
  const auto go = [](Node& node, const Caller& caller) { return plain(node.reboot(caller)); };
  co_return outcome_of(co_await carry<Nothing>(context, request_for(Call::reboot, context), go));
}

Task<Outcome> SimSession::change_etcd(Context context, EtcdChange change) {
  auto execute = [change](Node& node, const Caller& caller) -> Answer<Nothing> {
    Answer<void> answer;
    if (change.call == Call::etcd_defragment) answer = node.etcd_defragment(caller);
    if (change.call == Call::etcd_leave) answer = node.etcd_leave(caller);
    if (change.call == Call::etcd_remove_member) {
      answer = node.etcd_remove_member(caller, change.member);
    }
    if (change.call == Call::etcd_forfeit_leadership) {
      const auto passed_on = node.etcd_forfeit_leadership(caller);
      if (!passed_on) return forward_error(passed_on);
    }
    if (!answer) return forward_error(answer);
    return Nothing{};
  };
  co_return outcome_of(
      co_await carry<Nothing>(context, request_for(change.call, context), std::move(execute)));
}

Task<Outcome> SimSession::etcd_recover(Context context, const ByteSource& snapshot) {
  auto bytes = snapshot.read(0, static_cast<std::size_t>(snapshot.size()));
  if (!bytes) {
    co_return Outcome::failed(
        lost(Call::etcd_recover, Progress::not_sent, Code::internal, bytes.error().message));
  }
  auto execute = [bytes = *std::move(bytes)](Node& node, const Caller& caller) -> Answer<Nothing> {
    auto reply = node.etcd_recover(caller, bytes);
    if (!reply) return forward_error(reply);
    return Nothing{};
  };
  co_return outcome_of(co_await carry<Nothing>(context, request_for(Call::etcd_recover, context),
                                               std::move(execute)));
}

Task<CallResult<void>> SimSession::etcd_snapshot(Context context, ByteSink& sink) {
  const auto bytes = co_await read<std::string>(
      context, Call::etcd_snapshot,
      [](Node& node, const Caller& caller) { return node.etcd_snapshot(caller); });
  if (!bytes) co_return forward_error(bytes);
  if (auto taken = sink.take(*bytes); !taken) {
    co_return tl::unexpected(
        lost(Call::etcd_snapshot, Progress::answered, Code::internal, taken.error().message));
  }
  co_return CallResult<void>();
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

CallError lost(Call call, Progress progress, Code code, std::string_view text) {
  return {call, progress, TlsVerdict::fine, code, std::string(text)};
}

CallError ended(Call call, Wake wake) {
  if (wake == Wake::cancelled)
    return lost(call, Progress::sent, Code::cancelled, "context canceled");
  return lost(call, Progress::sent, Code::deadline_exceeded, "context deadline exceeded");
}

std::unique_ptr<TalosSession> make_session(SimWorld& world, int process, Port& port,
                                           NodeName planned) {
  return std::make_unique<SimSession>(world, process, port, std::move(planned));
}

}  // namespace ichor::sim
