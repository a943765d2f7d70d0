#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lab/address_map.h"
#include "lab/fault.h"
#include "lab/status.h"
#include "model/cluster_profile.h"
#include "model/machine_spec.h"
#include "sim/node/spec.h"

namespace ichor::lab {

struct LabOptions {
  std::string state_dir;   // made if it is missing; holds disks, address map and control socket
  double time_scale{1.0};  // how much faster than the world node durations pass
  /// Which Talos new machines run; none: the one that is nearest to the profile's version.
  std::optional<sim::Personality> personality;
  sim::Platform platform{sim::Platform::metal};
  /// First address of the lab, e.g. "127.40.7.1"; empty: a free block, the same one again for a
  /// folder that was used before.
  std::string base_address;
  /// A device of a network namespace that was made for this lab: machines have their real addresses
  /// on it, see lab/net/real_addresses.h. Empty: loopback addresses stand for them.
  std::string real_device;
  std::uint16_t talos_port{50000};
  std::uint16_t kube_port{6443};
  std::vector<ScheduledFault> faults;
  /// Where the profile's machines are made, if it says so.
  std::optional<ProviderPlan> provider;
  /// There are no machines at first: a Proxmox API makes them. A folder that had it keeps it.
  bool proxmox{false};
  std::string diary;  // a file, see lab/diary.h; empty: none is kept
};

/// Simulated Talos nodes behind real sockets: TLS 1.3, gRPC and the Kubernetes API, one loopback
/// address per node. Everything runs on threads of its own; the public functions may be called from
/// any thread.
///
/// A node whose machine is off or rebooting refuses connections: loopback cannot lose packets by
/// itself. The fault "blackhole" makes an address silent for real.
class Lab {
 public:
  /// Makes the machines that `profile` describes, or finds them in the state folder as an earlier
  /// lab left them, and switches them on. Fails with Errc::locked if another lab uses the folder.
  static Result<std::unique_ptr<Lab>> start(const ClusterProfile& profile, LabOptions options);
  /// Cuts the power of all nodes; their disks are in the state folder.
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  const AddressMap& addresses() const;
  LabStatus status() const;
  /// What was done, in one line; Errc::invalid for an unknown node or fault.
  Result<std::string> inject(const Injection& injection);
  /// Makes wait() return. Also what the control channel's "stop" does.
  void stop();
  /// Blocks until stop() or, with `on_signals`, SIGINT or SIGTERM; gives the signal's number or 0.
  int wait(bool on_signals);
  /// Why it stopped by itself: its state folder could not be written. Empty otherwise.
  std::string trouble() const;

  class Impl;

 private:
  explicit Lab(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor::lab
