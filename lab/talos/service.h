#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lab/rpc/front.h"
#include "lab/talos/exchange.h"
#include "lab/talos/port.h"

namespace ichor::lab {

/// Talos' API of all machines: their ports, who may call what, and the way of a call through one
/// node's apid to others.
class TalosService {
 public:
  TalosService(Site& site, std::uint16_t port);
  ~TalosService();
  TalosService(const TalosService&) = delete;
  TalosService& operator=(const TalosService&) = delete;

  /// Opens, closes or re-keys the machine's port as its state asks for.
  void refresh(Machine& machine);
  void apply_faults(Machine& machine);
  /// Resets all connections of a machine, as a crash does.
  void cut(Machine& machine);
  /// Lets the connections that are there fall silent, as a NAT that forgot them.
  void hush(Machine& machine);
  std::string fingerprint(Machine& machine);

 private:
  class ClientExchange;
  class PartExchange;
  struct Gathering;
  struct Connection {
    Machine* machine{nullptr};
    bool maintenance{false};
    Roles roles{0};
    std::weak_ptr<Tunnel> tunnel;
    bool retired{false};
    int calls{0};    // in progress
    int streams{0};  // of them kept open
  };

  TalosPort& port_of(Machine& machine);
  std::unique_ptr<Inside> adopt(Machine& machine, const std::shared_ptr<Tunnel>& tunnel,
                                const Peer& peer, bool maintenance);
  void retire(Machine& machine);
  void on_call(const std::shared_ptr<ServerCall>& call);
  void start(const std::shared_ptr<ServerCall>& call);
  void gather(const std::shared_ptr<ServerCall>& call, Machine& via, Roles roles,
              const std::vector<std::string>& targets);
  template <class SomeExchange>
  void serve(SomeExchange& exchange, const std::string& path, bool maintenance);
  void release_parked(Machine& machine);
  void forget(std::uint64_t connection, bool stream);

  Site& site_;
  std::uint16_t port_;
  std::map<Machine*, std::unique_ptr<TalosPort>> ports_;
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t next_connection_{1};
  std::set<std::shared_ptr<Exchange>> open_;
  std::vector<std::pair<Machine*, std::shared_ptr<ServerCall>>> parked_;  // calls to frozen nodes
  std::unique_ptr<RpcFront> front_;
};

}  // namespace ichor::lab
