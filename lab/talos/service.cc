#include "lab/talos/service.h"

#include <utility>

#include "base/check.h"
#include "lab/rpc/wire.h"
#include "lab/talos/routing.h"

namespace ichor::lab {

namespace {

constexpr std::size_t kMaintenanceMessageMax = 4u << 20;
constexpr Duration kQuiet = std::chrono::milliseconds(150);
/// In the lab's time, between an answer and the power cut that follows it.
constexpr Duration kLastWords = std::chrono::seconds(1);

}  // namespace

/// A call whose answer goes to a client. Nothing is sent before what it tells is durable.
class TalosService::ClientExchange final : public Exchange,
                                           public std::enable_shared_from_this<ClientExchange> {
 public:
  ClientExchange(TalosService& service, Machine& machine, Roles roles,
                 std::shared_ptr<ServerCall> call)
      : Exchange(service.site_, machine, roles, call->request()),
        service_(service),
        call_(std::move(call)) {}

  void send(std::string message) override {
    if (ended_) return;
    site().touch(machine());
    site().when_saved([call = call_, self = weak_from_this(), message = std::move(message)] {
      if (!self.expired()) call->write(message);
    });
  }
  void end(Code code, const std::string& text) override {
    if (std::exchange(ended_, true)) return;
    site().touch(machine());
    if (mutates && code == Code::ok) site().count_mutation(machine(), call_->path());
    CallFault fault;
    const bool struck =
        code == Code::ok && machine().faults.take(call_->path(), mutates, false, fault);
    if (struck && fault.kind == CallFault::Kind::lose_reply) {
      lose();
      return;
    }
    site().when_saved([call = call_, code, text] { call->finish(code, text); });
    if (struck) crash();
  }
  /// The call is over for gRPC too.
  void over() {
    ended_ = true;
    if (kept()) machine().node().count_streams(-1);
    service_.forget(call_->connection(), kept());
    drop_stream();
  }
  /// To be called once the method has run.
  void settle() {
    if (!kept()) return;
    machine().node().count_streams(1);
    const auto found = service_.connections_.find(call_->connection());
    if (found != service_.connections_.end()) ++found->second.streams;
  }

  bool mutates{false};

 private:
  void lose() {
    const auto found = service_.connections_.find(call_->connection());
    if (found == service_.connections_.end()) return;
    const auto tunnel = found->second.tunnel;
    site().when_saved([tunnel] {
      if (const auto open = tunnel.lock()) open->cut();
    });
  }

  /// Soon, so that the answer still leaves the machine.
  void crash() {
    Site& lab = site();
    lab.clock().call_at(later(lab.clock().now(), kLastWords), [&lab, &machine = machine()] {
      machine.node().power_cycle();
      lab.touch(machine);
    });
  }

  TalosService& service_;
  std::shared_ptr<ServerCall> call_;
  bool ended_{false};
};

/// An answer that is put together from those of several nodes.
struct TalosService::Gathering {
  std::shared_ptr<ServerCall> call;
  std::string replies;  // unary: one message with the items of all
  bool streamed{false};
  std::size_t missing{0};
};

class TalosService::PartExchange final : public Exchange {
 public:
  PartExchange(Site& site, Machine& machine, Roles roles, std::string node,
               std::shared_ptr<Gathering> whole)
      : Exchange(site, machine, roles, whole->call->request()),
        node_(std::move(node)),
        whole_(std::move(whole)) {}

  void send(std::string message) override {
    if (ended_) return;
    site().touch(machine());
    if (!whole_->streamed) {
      whole_->replies += with_origin(message, node_, false);
      return;
    }
    site().when_saved(
        [whole = whole_, part = with_origin(message, node_, true)] { whole->call->write(part); });
  }
  void end(Code code, const std::string& text) override {
    if (std::exchange(ended_, true)) return;
    site().touch(machine());
    if (mutates && code == Code::ok) site().count_mutation(machine(), whole_->call->path());
    if (code != Code::ok) {
      const std::string failed = failed_part(node_, code, text, whole_->streamed);
      if (whole_->streamed) {
        site().when_saved([call = whole_->call, failed] { call->write(failed); });
      } else {
        whole_->replies += failed;
      }
    }
    if (--whole_->missing > 0) return;
    site().when_saved([whole = whole_] {
      if (!whole->streamed) whole->call->write(whole->replies);
      whole->call->finish(Code::ok, "");
    });
  }
  void over() {
    ended_ = true;
    drop_stream();
  }

  bool mutates{false};

 private:
  std::string node_;
  std::shared_ptr<Gathering> whole_;
  bool ended_{false};
};

TalosService::TalosService(Site& site, std::uint16_t port) : site_(site), port_(port) {
  front_ = std::make_unique<RpcFront>(
      site.clock(), [this](const std::shared_ptr<ServerCall>& call) { on_call(call); });
}

TalosService::~TalosService() {
  ports_.clear();
  front_.reset();
  open_.clear();
}

TalosPort& TalosService::port_of(Machine& machine) {
  std::unique_ptr<TalosPort>& port = ports_[&machine];
  if (!port) {
    port = std::make_unique<TalosPort>(
        site_, machine, port_,
        [this](Machine& m, const std::shared_ptr<Tunnel>& tunnel, const Peer& peer,
               bool maintenance) { return adopt(m, tunnel, peer, maintenance); },
        [this](Machine& m) { retire(m); });
  }
  return *port;
}

void TalosService::refresh(Machine& machine) {
  (void)port_of(machine).refresh();
  release_parked(machine);
}

void TalosService::apply_faults(Machine& machine) { port_of(machine).apply_faults(); }
void TalosService::cut(Machine& machine) { port_of(machine).cut_all(); }
void TalosService::hush(Machine& machine) { port_of(machine).hush_all(); }
std::string TalosService::fingerprint(Machine& machine) { return port_of(machine).fingerprint(); }

std::unique_ptr<Inside> TalosService::adopt(Machine& machine, const std::shared_ptr<Tunnel>& tunnel,
                                            const Peer& peer, bool maintenance) {
  std::erase_if(connections_, [](const auto& entry) { return entry.second.tunnel.expired(); });
  const std::uint64_t id = next_connection_++;
  Connection& connection = connections_[id];
  connection.machine = &machine;
  connection.maintenance = maintenance;
  connection.roles = roles_from(peer.organizations);
  connection.tunnel = tunnel;
  grpc::Http2Limits limits;
  // The maintenance server leaves the limit of grpc-go as it is.
  if (maintenance) limits.message_bytes_max = kMaintenanceMessageMax;
  return front_->serve(id, limits);
}

void TalosService::retire(Machine& machine) {
  for (auto& [id, connection] : connections_) {
    if (connection.machine != &machine || connection.retired) continue;
    connection.retired = true;
    const auto tunnel = connection.tunnel.lock();
    if (tunnel && connection.streams == 0 && connection.calls == 0) tunnel->retire(kQuiet);
  }
}

void TalosService::forget(std::uint64_t id, bool stream) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  --connection.calls;
  if (stream) --connection.streams;
  if (!connection.retired || connection.calls > 0) return;
  if (const auto tunnel = connection.tunnel.lock()) tunnel->retire(kQuiet);
}

void TalosService::on_call(const std::shared_ptr<ServerCall>& call) {
  const auto found = connections_.find(call->connection());
  if (found == connections_.end() || found->second.retired) {
    call->finish(Code::unavailable, "the server is shutting down");
    return;
  }
  // A frozen machine takes the call and never looks at it.
  if (found->second.machine->node().frozen()) {
    parked_.emplace_back(found->second.machine, call);
    return;
  }
  start(call);
}

void TalosService::release_parked(Machine& machine) {
  if (parked_.empty() || machine.node().frozen()) return;
  std::vector<std::shared_ptr<ServerCall>> calls;
  std::erase_if(parked_, [&](const auto& entry) {
    if (entry.first != &machine) return false;
    calls.push_back(entry.second);
    return true;
  });
  for (const auto& call : calls) on_call(call);
}

void TalosService::start(const std::shared_ptr<ServerCall>& call) {
  // grpc-go looks at the name before anybody else does; the first slash is not needed.
  if (call->path().find('/', 1) == std::string::npos) {
    call->finish(Code::unimplemented, "malformed method name: \"" + call->path() + "\"");
    return;
  }
  Connection& connection = connections_.at(call->connection());
  Machine& via = *connection.machine;
  Machine* target = &via;
  if (!connection.maintenance) {
    const std::vector<std::string> one = call->header("node");
    const std::vector<std::string> many = call->header("nodes");
    if (one.size() > 1) {
      call->finish(Code::invalid_argument, "node metadata must be single-valued");
      return;
    }
    if (!many.empty()) {
      gather(call, via, connection.roles, many);
      return;
    }
    if (!one.empty()) {
      const auto reached = reach(site_, via, one.front());
      if (!reached) {
        call->finish(reached.error().code, reached.error().text);
        return;
      }
      target = *reached;
    }
  }
  auto exchange = std::make_shared<ClientExchange>(*this, *target, connection.roles, call);
  ++connection.calls;
  open_.insert(exchange);
  call->on_end([this, exchange] {
    open_.erase(exchange);
    exchange->over();
  });
  serve(*exchange, call->path(), connection.maintenance);
  exchange->settle();
}

template <class SomeExchange>
void TalosService::serve(SomeExchange& exchange, const std::string& path, bool maintenance) {
  const auto method = admit(exchange.machine(), exchange.roles(), maintenance, path);
  if (!method) {
    exchange.refuse(method.error());
    return;
  }
  exchange.mutates = (*method)->kind == Method::Kind::mutates;
  exchange.set_streams((*method)->kind == Method::Kind::streams);
  // For the methods that need nothing of their request: it is read all the same.
  if (!is_message(exchange.request())) {
    exchange.refuse_request();
    return;
  }
  CallFault fault;
  if (exchange.machine().faults.take(path, exchange.mutates, true, fault)) {
    const bool full = fault.kind == CallFault::Kind::overloaded;
    exchange.refuse({full ? Code::resource_exhausted : Code::unavailable,
                     full ? "too many requests" : "the server is not available just now"});
    return;
  }
  (*method)->serve(exchange);
}

void TalosService::gather(const std::shared_ptr<ServerCall>& call, Machine& via, Roles roles,
                          const std::vector<std::string>& targets) {
  const std::string& path = call->path();
  const bool lonely = path.starts_with("/cosi.resource.State/") ||
                      path.starts_with("/machine.LifecycleService/") ||
                      path.starts_with("/machine.ImageService/");
  if (lonely) {
    call->finish(Code::invalid_argument,
                 via.old() ? "one-2-many proxying is not supported for COSI methods"
                           : "one-2-many proxying is not supported for method " + path);
    return;
  }
  auto whole = std::make_shared<Gathering>();
  whole->call = call;
  const auto method = admit(via, kAdmin, false, path);
  whole->streamed = method && (*method)->kind == Method::Kind::streams;
  whole->missing = targets.size();
  auto parts = std::make_shared<std::vector<std::shared_ptr<PartExchange>>>();
  call->on_end([parts] {
    for (const auto& part : *parts) part->over();
    parts->clear();
  });
  for (const std::string& target : targets) {
    const auto reached = reach(site_, via, target);
    Machine& machine = reached ? **reached : via;
    auto part = std::make_shared<PartExchange>(site_, machine, roles, target, whole);
    parts->push_back(part);
    if (!reached) {
      part->refuse(reached.error());
      continue;
    }
    serve(*part, path, false);
  }
}

}  // namespace ichor::lab
