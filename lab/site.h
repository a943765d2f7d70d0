#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/address_block.h"
#include "lab/address_map.h"
#include "lab/machine.h"
#include "lab/net/real_addresses.h"
#include "lab/store.h"
#include "os/loop_clock.h"
#include "port/random.h"
#include "sim/node/config_judge_yaml.h"
#include "sim/node/fabric.h"

namespace ichor::lab {

/// All machines of a lab and what they share. Everything here lives on the loop's thread.
///
/// Nothing that a client could learn leaves before it is durable: replies are sent through
/// when_saved(). So a lab that is killed never goes back behind what a client has read from it.
class Site {
 public:
  Site(LoopClock& clock, double time_scale, Random& random, Store& store, AddressBlock block,
       AddressMap map);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  LoopClock& clock() { return clock_; }
  Random& random() { return random_; }
  sim::Fabric& fabric() { return fabric_; }
  double time_scale() const { return time_scale_; }

  /// A machine as it is written down already.
  Machine& add(MachineRecord record);
  /// Takes a machine away for good: it is off, no client finds it any more, and its file is empty.
  void remove(Machine& machine);
  /// Writes this file with what is saved next, and before anything that waits for when_saved().
  void keep(const std::string& file, std::string content);
  /// Puts back a cluster that was written down. Before the first machine is switched on.
  void restore(sim::EtcdCluster cluster);
  const std::vector<std::unique_ptr<Machine>>& machines() const { return machines_; }
  Machine* find(const NodeName& name) const;
  /// The machine that has this address now, in the profile's form or as loopback; nullptr if none.
  Machine* at(const std::string& address) const;

  /// Where `address` is found; a new address is given a place and written down. With real addresses
  /// that is the address itself.
  IpAddress loopback(const IpAddress& address);
  /// From now on machines have the addresses that they say they have. Before the first machine.
  void use_real_addresses(std::unique_ptr<RealAddresses> real) { real_ = std::move(real); }
  /// Makes the address answer while the lease lives; on loopback all do.
  Result<RealAddresses::Lease> lease(const std::string& address);
  const AddressMap& addresses() const { return map_; }

  /// Says that a machine may have changed. Listeners are notified once, soon, and not from in here.
  void touch(Machine& machine);
  using ListenerId = std::uint64_t;
  ListenerId on_change(std::function<void(Machine&)> listener);
  void forget(ListenerId id);

  /// Calls `then` when all that has changed so far is durable: at once if it is.
  void when_saved(std::function<void()> then);
  /// Called once if the state folder cannot be written any more; nothing is answered from then on.
  void on_broken(std::function<void(const Error&)> listener) { broken_ = std::move(listener); }

  /// The wall clock's time at a moment of the lab's own time.
  WallTime wall_at(MonoTime moment) const;

  /// Counts a call that has changed a machine, and tells the listener.
  void count_mutation(Machine& machine, std::string_view path);
  std::uint64_t mutations() const { return mutations_; }
  using MutationListener = std::function<void(Machine&, std::string_view path)>;
  void on_mutation(MutationListener listener) { mutated_ = std::move(listener); }

 private:
  void settle();
  static bool is_saved(const Machine& machine);
  void start_saving();
  void on_saved(const Result<void>& result);
  static void run(std::vector<std::function<void()>>& waiting);
  std::uint64_t fabric_mark() const;

  LoopClock& clock_;
  double time_scale_;
  Random& random_;
  Store& store_;
  AddressBlock block_;
  AddressMap map_;
  std::unique_ptr<RealAddresses> real_;  // null: loopback addresses stand for all
  sim::Fabric fabric_;
  sim::YamlJudge judge_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<std::unique_ptr<Machine>> removed_;  // whoever was notified may still look
  std::map<ListenerId, std::function<void(Machine&)>> listeners_;
  ListenerId next_listener_{1};
  std::vector<Machine*> touched_;
  Clock::CallId settling_{0};

  std::vector<Machine*> unsaved_;
  std::map<std::string, std::string> kept_;  // files that are not written yet
  bool map_unsaved_{false};
  std::uint64_t fabric_saved_{0};
  bool saving_{false};
  bool lost_{false};
  std::vector<std::function<void()>> waiting_;       // for what is being saved
  std::vector<std::function<void()>> waiting_next_;  // for what will be saved after it
  std::function<void(const Error&)> broken_;
  std::uint64_t mutations_{0};
  MutationListener mutated_;
};

/// Names in the state folder.
std::string machine_file(const NodeName& name);
inline constexpr const char* kFabricFile = "etcd.json";
inline constexpr const char* kMachineSuffix = ".machine.json";

}  // namespace ichor::lab
