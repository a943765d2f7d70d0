#include "engine/act.h"

#include "base/check.h"
#include "base/mutant.h"
#include "phase/phase.h"
#include "wait/look_time.h"

namespace ichor {

namespace {

Outcome not_sent(Call call, Code code, std::string text) {
  return Outcome::failed({call, Progress::not_sent, TlsVerdict::fine, code, std::move(text)});
}

/// What tells this life of the node from the next: its boot id, or its maintenance certificate,
/// which is new at every boot, where the boot id cannot be read.
std::string life_mark(const NodeLink& link, const TalosSession& session) {
  if (session.peer().mode == PeerMode::maintenance) return session.peer().fingerprint.value();
  return link.identity()->boot_id.value();
}

Task<Outcome> send(Context context, TalosSession& session, const Action& action,
                   const ConfigSet& configs) {
  if (action.call == Call::bootstrap) co_return co_await session.bootstrap(context);
  if (action.call == Call::reset) co_return co_await session.reset(context, action.reset);
  check(action.call == Call::apply_configuration, "only three calls mutate nodes");
  const MachineConfig& config = mutant("config-of-another-node") ? configs.nodes.begin()->second
                                                                 : configs.nodes.at(action.node);
  check(config.digest == action.payload || mutant("config-of-another-node"),
        "what is sent is what was decided");
  ApplyRequest request;
  request.config = &config;
  request.no_reboot = action.no_reboot;
  co_return co_await session.apply_configuration(context, request);
}

/// Fetches the kubeconfig and writes it: no node is changed, so there is no intent to keep.
Task<Outcome> fetch_kubeconfig(Context context, World& world, TalosSession& session) {
  auto kubeconfig = co_await session.kubeconfig(context);
  if (!kubeconfig && mutant("kubeconfig-of-nothing")) kubeconfig = SecretString("{}");
  if (!kubeconfig) co_return Outcome::failed(std::move(kubeconfig).error());
  if (world.own_kubeconfig) {
    auto ours = world.own_kubeconfig(*kubeconfig);
    if (!ours) {
      co_return Outcome::failed({Call::kubeconfig, Progress::answered, TlsVerdict::fine,
                                 Code::data_loss, ours.error().message});
    }
    kubeconfig = *std::move(ours);
  }
  const char* const file = mutant("file-of-another-name") ? "kubeconfig.yaml" : "kubeconfig";
  auto written = world.artifacts.write(file, *kubeconfig);
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

Task<Outcome> act(Context context, World& world, Ledger& ledger, NodeLink& link, Action action,
                  const ConfigSet& configs, const Budgets& budgets) {
  const std::shared_ptr<TalosSession> session = link.session();
  if (!session) co_return not_sent(action.call, Code::unavailable, "no connection to the node");
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

  JournalRecord intent;
  intent.kind = RecordKind::intent;
  intent.node = action.node;
  intent.call = action.call;
  intent.key = life_mark(link, *session);
  intent.value = to_hex(action.payload);
  const LookTime decided = LookTime::now(context);
  std::optional<Outcome> early;
  if (mutant("journal-after-act")) {
    early = co_await send(context.within(budgets.call), *session, action, configs);
  }
  const auto seq = co_await ledger.append(std::move(intent));
  if (!seq) co_return not_sent(action.call, Code::internal, seq.error().message);
  if (context.cancelled() && !mutant("sends-after-cancel")) {
    early = not_sent(action.call, Code::cancelled, "called off before it was sent");
  } else if (context.now() > action.sound_until || decided.age(context) > kFreshTime) {
    early = not_sent(action.call, Code::aborted, "what it was decided on is too old by now");
  }

  Outcome outcome;
  if (early) {
    outcome = *std::move(early);
  } else {
    const Context limited = mutant("call-without-limit") ? context : context.within(budgets.call);
    outcome = co_await send(limited, *session, action, configs);
  }
  JournalRecord told;
  told.kind = RecordKind::outcome;
  told.node = action.node;
  told.call = action.call;
  told.ref = *seq;
  told.outcome = mutant("every-outcome-done") ? OutcomeKind::done : outcome.kind;
  if (outcome.error) told.value = to_text(*outcome.error);
  // If this cannot be written the intent stays open, which means Unknown: that is true as well.
  co_await ledger.append(std::move(told));
  // A lost reply says that the connection is bad; a node that took a config closes it itself.
  if (outcome.kind == OutcomeKind::unknown || session->peer().mode == PeerMode::maintenance) {
    link.drop();
  }
  co_return outcome;
}

}  // namespace ichor
