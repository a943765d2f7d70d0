#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/node.h"
#include "model/talos_release.h"

namespace ichor::sim {

/// Which Talos a node plays; they differ in who serves port 50000 when, and in codes and texts.
enum class Personality { v1_12, v1_13, v1_14 };

/// The release that a personality was read from, and its version: 1.12.6, 1.13.9 or 1.14.1.
const TalosRelease& release_of(Personality personality);
TalosVersion talos_version(Personality personality);
/// How a node of this version behaves, as far as it is played.
Personality nearest_personality(const TalosVersion& version);

/// A machine with disks and an installer, or Talos' container mode (no disks, no UUID, no install).
enum class Platform { metal, container };

/// How long each part of a node's life takes. The defaults are those of a small virtual machine;
/// container_durations() are those recorded from real machined 1.12.6.
struct Durations {
  Duration power_on_to_api{std::chrono::seconds(25)};  // until maintenance or apid answers
  /// From apply's reply until the node acts on it. 1.12 has closed the port by then, 1.13 still
  /// shows the maintenance certificate.
  Duration config_to_switch{std::chrono::milliseconds(600)};
  Duration port_gap{std::chrono::milliseconds(400)};  // port closed while apid takes over
  Duration install{std::chrono::seconds(45)};
  Duration reboot_down{std::chrono::seconds(12)};     // rebooting stage until the machine is down
  Duration cri_start{std::chrono::seconds(2)};        // before it Bootstrap is not available yet
  Duration kubelet_start{std::chrono::seconds(3)};    // CRI and time sync to kubelet running
  Duration kubelet_healthy{std::chrono::seconds(2)};  // to its first health check; ends the boot
  Duration etcd_prepare{std::chrono::seconds(2)};     // bootstrap accepted to data directory made
  Duration etcd_healthy{std::chrono::seconds(5)};     // etcd running to its first health check
  Duration etcd_join_retry{std::chrono::seconds(3)};
  Duration etcd_catch_up{std::chrono::seconds(12)};     // learner added to promotion
  Duration api_server_start{std::chrono::seconds(20)};  // etcd healthy to /readyz
  Duration node_register{std::chrono::seconds(15)};     // API reachable to Node object
  Duration node_ready{std::chrono::seconds(14)};        // Node object to Ready
  Duration upgrade{std::chrono::seconds(20)};   // from the call to the new image in its slot
  Duration time_sync{std::chrono::seconds(3)};  // first API answer of a boot to time in sync
  Duration worker_certificate{
      std::chrono::seconds(1)};  // trustd's answer once a control plane is up
};

Durations container_durations();

/// What is in a boot slot of a machine's disk.
struct BootSlot {
  TalosVersion version;
  std::string schematic;  // empty: an image without one
  bool boots{true};       // else it fails at every boot, and Talos goes back to the other slot
};

struct NodeSpec {
  NodeName
      name;  // what the hardware is called by the test; the node itself learns its name by config
  Identity hardware;  // boot_id is ignored: the model makes one per boot
  IpAddress dhcp_address;
  std::vector<Disk> disks;
  std::uint64_t memory_bytes{4ull << 30};
  Personality personality{Personality::v1_12};
  /// That it runs; set by an upgrade, together with the personality. Empty: the personality's own.
  std::optional<TalosVersion> version{};
  Platform platform{Platform::metal};
  Durations durations;
  bool secure_boot{false};
  bool record_events{true};  // false: events() stays empty and costs nothing
  /// Talos makes a new maintenance key when its clock is set, so the fingerprint can change once
  /// within a boot (T2). Off unless a test asks for it.
  bool new_key_on_time_sync{false};
  /// Talos keeps the wish to be promoted in memory only: a learner that restarts stays one (E7).
  bool learner_forgets_on_restart{true};
  /// A version of Talos whose automatic mode keeps a config for the next boot (A6).
  bool automatic_is_staged{false};
};

/// The version of Talos that a node with this spec runs.
TalosVersion version_of(const NodeSpec& spec);

/// What an installer's reference stands for: the version of its tag and the schematic in its name.
/// Nothing for a reference without a version.
std::optional<BootSlot> slot_of(const std::string& image);

}  // namespace ichor::sim
