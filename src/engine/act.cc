#include "engine/act.h"

#include "base/check.h"
#include "phase/take_snapshot.h"
#include "port/node_drain.h"
#include "wait/look_time.h"

namespace ichor {

namespace {

/// What tells this life of the node from the next: its boot id, or its maintenance certificate,
/// which is new at every boot, where the boot id cannot be read.
std::string life_mark(const NodeLink& link, const TalosSession& session) {
  if (session.peer().mode == PeerMode::maintenance) return session.peer().fingerprint.value();
  return link.identity()->boot_id.value();
}

/// Talos' own limits for what takes longer than other calls, and a little more.
Duration time_for(Call call, const Budgets& budgets) {
  switch (call) {
    case Call::etcd_defragment: return std::chrono::minutes(10);
    case Call::etcd_leave: return std::chrono::minutes(6);
    case Call::etcd_recover: return std::chrono::minutes(10);
    case Call::pull_image: return budgets.pull;
    case Call::update_proxy: return std::chrono::minutes(1);
    // The install alone; drain and reboot are calls of their own.
    case Call::upgrade: return budgets.upgrade / 3;
    case Call::evict: return std::chrono::minutes(1);
    default: return budgets.call;
  }
}

Task<Outcome> send_to_kubernetes(Context context, NodeDrain& drain, const NodeCall& action) {
  const std::string& uid = action.object_uid;
  if (action.call == Call::cordon) co_return co_await drain.cordon(context, action.node, uid);
  if (action.call == Call::uncordon) co_return co_await drain.uncordon(context, action.node, uid);
  if (action.call == Call::update_proxy) {
    co_return co_await drain.update_proxy(context, action.upgrade.image, uid);
  }
  co_return co_await drain.evict(context, action.pods);
}

Task<Outcome> send(Context context, const World& world, TalosSession& session,
                   const NodeCall& action, const ConfigSet& configs) {
  if (action.call == Call::bootstrap) {
    BootstrapRequest request;
    request.recover = action.recover;
    co_return co_await session.bootstrap(context, request);
  }
  if (action.call == Call::reset) co_return co_await session.reset(context, action.reset);
  if (action.call == Call::etcd_recover) {
    check(world.snapshot != nullptr, "whoever restores says what");
    co_return co_await session.etcd_recover(context, *world.snapshot);
  }
  if (changes_etcd(action.call)) {
    EtcdChange change;
    change.call = action.call;
    change.member = action.member;
    co_return co_await session.change_etcd(context, change);
  }
  if (action.call == Call::pull_image && !action.images.empty()) {
    Outcome last = Outcome::done();
    for (const UpgradeRequest& image : action.images) {
      last = co_await session.pull_image(context, image);
      if (last.kind != OutcomeKind::done) break;
    }
    co_return last;
  }
  if (action.call == Call::pull_image) {
    co_return co_await session.pull_image(context, action.upgrade);
  }
  if (action.call == Call::upgrade) co_return co_await session.upgrade(context, action.upgrade);
  if (action.call == Call::reboot) co_return co_await session.reboot(context);
  check(action.call == Call::apply_configuration, "this call mutates nodes");
  const MachineConfig& config = action.config ? *action.config : configs.nodes.at(action.node);
  check(config.digest == action.payload, "what is sent is what was decided");
  ApplyRequest request;
  request.config = &config;
  request.no_reboot = action.no_reboot;
  co_return co_await session.apply_configuration(context, request);
}

/// Takes a snapshot and remembers where it is: no node is changed, so there is no intent to keep.
Task<Outcome> keep_snapshot(Context context, World& world, Ledger& ledger, TalosSession& session,
                            const NodeCall& action) {
  check(static_cast<bool>(world.keep_snapshot), "whoever takes snapshots says where they go");
  auto path = co_await world.keep_snapshot(context, session, action.node);
  if (!path) co_return Outcome::failed(std::move(path).error());
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = action.node;
  record.key = kSnapshotKey;
  record.value = action.purpose + " " + *path;
  // One that is not in the journal is taken again.
  co_await ledger.append(std::move(record));
  co_return Outcome::done();
}

/// Fetches the kubeconfig and writes it: no node is changed, so there is no intent to keep.
Task<Outcome> fetch_kubeconfig(Context context, World& world, TalosSession& session) {
  auto kubeconfig = co_await session.kubeconfig(context);
  if (!kubeconfig) co_return Outcome::failed(std::move(kubeconfig).error());
  if (world.own_kubeconfig) {
    auto ours = world.own_kubeconfig(*kubeconfig);
    if (!ours) {
      co_return Outcome::failed({Call::kubeconfig, Progress::answered, TlsVerdict::fine,
                                 Code::data_loss, ours.error().message});
    }
    kubeconfig = *std::move(ours);
  }
  auto written = world.artifacts.write("kubeconfig", *kubeconfig);
  if (!written) {
    co_return Outcome::failed({Call::kubeconfig,
                               Progress::answered,
                               TlsVerdict::fine,
                               Code::internal,
                               "the kubeconfig cannot be written: " + written.error().message,
                               {},
                               "L13"});
  }
  co_return Outcome::done();
}

}  // namespace

Outcome not_sent(Call call, Code code, std::string text) {
  return Outcome::failed({call, Progress::not_sent, TlsVerdict::fine, code, std::move(text)});
}

Task<Outcome> carry_out(Context context, Ledger& ledger, Mutation mutation) {
  JournalRecord told = mutation.intent;
  const Call call = told.call;
  const auto seq = co_await ledger.append(std::move(mutation.intent));
  if (!seq) {
    co_return not_sent(call, Code::internal,
                       "the journal cannot be written: " + seq.error().message);
  }
  std::optional<Outcome> early;
  if (context.cancelled()) {
    early = not_sent(call, Code::cancelled, "cancelled before it was sent");
  } else if (mutation.refuse) {
    early = mutation.refuse();
  }
  Outcome outcome;
  if (early) {
    outcome = *std::move(early);
  } else {
    outcome = co_await mutation.send();
  }
  told.kind = RecordKind::outcome;
  told.ref = *seq;
  told.value.clear();
  told.outcome = outcome.kind;
  if (outcome.error) told.value = mutation.tell(*outcome.error);
  // If this cannot be written the intent stays open, which means Unknown: that is true as well.
  co_await ledger.append(std::move(told));
  co_return outcome;
}

Task<Outcome> act(Context context, World& world, Ledger& ledger, NodeLink& link, NodeCall action,
                  const ConfigSet& configs, const Budgets& budgets) {
  const std::shared_ptr<TalosSession> session = link.session();
  if (!session) co_return not_sent(action.call, Code::unavailable, "no connection to the node");
  if (action.call == Call::etcd_snapshot) {
    co_return co_await keep_snapshot(context.within(kSnapshotTime), world, ledger, *session,
                                     action);
  }
  if (!mutates(action.call)) {
    co_return co_await fetch_kubeconfig(context.within(budgets.call), world, *session);
  }
  const BoundIdentity* bound = ledger.facts().bound(action.node);
  check(bound != nullptr, "a mutation goes to a node whose machine is known");
  check(link.identity() && bound->identity.same_machine(*link.identity()),
        "a mutation goes to the machine that the journal names");
  // The handshake has refused other keys already. This holds whatever a phase decides.
  if (!link.shows_bound_key()) {
    co_return not_sent(action.call, Code::aborted, "the node does not show the key bound to it");
  }

  Mutation mutation;
  mutation.intent.kind = RecordKind::intent;
  mutation.intent.node = action.node;
  mutation.intent.call = action.call;
  mutation.intent.key = life_mark(link, *session);
  mutation.intent.value = to_hex(action.payload);
  const LookTime decided = LookTime::now(context);
  mutation.refuse = [&]() -> std::optional<Outcome> {
    const bool sound = context.now() <= action.sound_until && decided.age(context) <= kFreshTime;
    if (sound) return std::nullopt;
    return not_sent(action.call, Code::aborted, "what it was decided on is too old by now");
  };
  const Duration limit = time_for(action.call, budgets);
  mutation.send = [&, limit] {
    const Context limited = context.within(limit);
    const bool of_kubernetes = action.call >= Call::cordon && action.call <= Call::update_proxy;
    if (!of_kubernetes) return send(limited, world, *session, action, configs);
    check(world.drain != nullptr, "whoever drains nodes says how");
    return send_to_kubernetes(limited, *world.drain, action);
  };
  mutation.tell = [](const CallError& error) { return to_text(error); };
  const Outcome outcome = co_await carry_out(context, ledger, std::move(mutation));
  // A lost reply says that the connection is bad; a node that took a config closes it itself.
  const bool recorded = !outcome.error || outcome.error->code != Code::internal ||
                        outcome.error->progress != Progress::not_sent;
  const bool spent =
      outcome.kind == OutcomeKind::unknown || session->peer().mode == PeerMode::maintenance;
  if (recorded && spent) link.drop();
  co_return outcome;
}

}  // namespace ichor
