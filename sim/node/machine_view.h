#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/node.h"

namespace ichor::sim {

/// Talos' own services, in the order of their ids, which is the order in which Talos lists them.
enum class Service : std::uint8_t {
  apid,
  auditd,
  containerd,
  cri,
  dashboard,
  etcd,
  kubelet,
  machined,
  syslogd,
  trustd,
  udevd,
};
inline constexpr int kServiceCount = static_cast<int>(Service::udevd) + 1;

enum class ServiceState : std::uint8_t {
  initialized,
  preparing,
  waiting,
  running,
  stopping,
  finished,
  failed,
  skipped,
  starting,
};

/// What a service's last event says; the words are made on request.
enum class Remark : std::uint8_t {
  none,
  starting,
  waiting,
  pre_state,
  creating_runner,
  started,
  healthy,
  unhealthy,
  learning,  // the etcd of a member that has no vote yet
  bootstrap_requested,
  restarting,  // "going to restart forever": the etcd of a removed member
  join_failed,
  recovery_failed,
  join_called_off,  // by a bootstrap
  stopped,
};

std::string_view name_of(Service service);
std::string_view name_of(ServiceState state);
std::string text_of(Service service, Remark remark);

/// MachineStatus without its strings: cheap to compute, compare and keep.
struct StatusBrief {
  enum class NodeObject : std::uint8_t { fine, unavailable, not_ready };

  Stage stage{Stage::unknown};
  bool time_unsynced{false};
  bool network_down{false};
  bool static_pods{false};  // controller manager and scheduler are not ready
  NodeObject node{NodeObject::fine};
  std::uint16_t not_running{0};  // bits by Service
  std::uint16_t not_healthy{0};

  bool operator==(const StatusBrief&) const = default;
};

constexpr std::uint16_t bit(Service service) {
  return static_cast<std::uint16_t>(1u << static_cast<unsigned>(service));
}

/// The resource as Talos writes it. `ready` is computed in booting and running only, and is true in
/// every other stage.
MachineStatus render(const StatusBrief& brief, const NodeName& hostname);

}  // namespace ichor::sim
