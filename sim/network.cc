#include "sim/network.h"

#include <algorithm>
#include <utility>

#include "async/slot.h"
#include "sim/hang.h"
#include "sim/session.h"
#include "sim/world.h"

namespace ichor::sim {

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
  std::unique_ptr<TalosSession> session = make_session(world_, process_, *port, request.planned);
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
