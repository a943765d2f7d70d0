#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"

namespace ichor {

enum class Role { control_plane, worker };

/// Talos' machine stages with the numbers of its wire enum.
enum class Stage {
  unknown = 0,
  booting = 1,
  installing = 2,
  maintenance = 3,
  running = 4,
  rebooting = 5,
  shutting_down = 6,
  resetting = 7,
  upgrading = 8,
};

std::string_view name_of(Role role);
/// As Talos writes it: "shutting down" has a space.
std::string_view name_of(Stage stage);

struct UnmetCondition {
  std::string name;
  std::string reason;
  bool operator==(const UnmetCondition&) const = default;
};

/// How far a node is with the installation that a typed config asks for (Talos 1.14 and later). The
/// node shows the stage `booting` meanwhile, and forgets its config if it loses power.
struct UnattendedInstall {
  /// With the numbers of Talos' wire enum.
  enum class Phase { pending, installing, installed, waiting_for_reboot, failed };

  Phase phase{Phase::pending};
  std::string error;
  bool operator==(const UnattendedInstall&) const = default;
};

/// As Talos writes it: "waiting-for-reboot".
std::string_view name_of(UnattendedInstall::Phase phase);

/// The MachineStatus resource. Talos computes `ready` only in booting and running; elsewhere it is
/// true and means nothing.
struct MachineStatus {
  Stage stage{Stage::unknown};
  bool ready{false};
  std::vector<UnmetCondition> unmet;
  /// Of a node that boots with a typed config; empty: there is no such installation, or it is over.
  std::optional<UnattendedInstall> install{};
  bool operator==(const MachineStatus&) const = default;
};

/// Who a machine is, whatever address it answers at. Read on the connection on which something is
/// about to be changed. A container has neither UUID nor serial: its MACs stand for it.
struct Identity {
  MachineUuid uuid;
  SerialNumber serial;
  std::vector<MacAddress> macs;  // of physical links, sorted
  BootId boot_id;                // empty where the node cannot tell (maintenance mode)
  /// When the node created its first resources, by its own clock: the same within a boot, another
  /// after the next one. Read where the boot id cannot be. Empty: not known.
  std::string since{};

  /// The same machine: UUIDs equal, or, where one has none, a MAC in common.
  bool same_machine(const Identity& other) const;
};

struct TalosVersion {
  int major{0};
  int minor{0};
  int patch{0};
  auto operator<=>(const TalosVersion&) const = default;
};

std::string to_text(const TalosVersion& version);

struct Disk {
  std::string id;                  // "sda"
  std::string dev_path;            // "/dev/sda"
  std::vector<std::string> links;  // "/dev/disk/by-id/…", as udev made them; Talos 1.10 and newer
  std::uint64_t size_bytes{0};
  std::string model;
  std::string serial;
  std::string wwid;
  std::string uuid;
  std::string modalias;
  std::string bus_path;
  std::string transport;  // "sata", "nvme", "virtio", "mmc"; empty for loops
  bool rotational{false};
  bool read_only{false};
  bool cdrom{false};
  bool has_volumes{false};  // a partition or a file system was discovered on it
  bool system_disk{false};
  /// A partition for etcd's data alone, which outlives EPHEMERAL (Talos 1.14 and later).
  bool etcd_volume{false};
};

/// What a machine has besides disks. What a node cannot tell (maintenance mode, containers, older
/// Talos) is empty, and never taken for enough.
struct Hardware {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> ephemeral_bytes;  // of the EPHEMERAL volume
  std::optional<bool> secure_boot;
  std::string arch;  // "amd64"
  bool container{false};
  std::vector<std::string> extensions;  // by name: "qemu-guest-agent"
  std::string schematic{};              // its ID, where an Image Factory made the image
};

/// A Talos service as ServiceList gives it.
struct ServiceStatus {
  std::string id;
  std::string
      state;  // Initialized, Preparing, Waiting, Running, Stopping, Finished, Failed, Skipped
  bool healthy{false};
  bool health_unknown{true};
  std::string last_message;
};

struct EtcdMember {
  EtcdMemberId id;
  std::string hostname;
  bool is_learner{false};
  bool operator==(const EtcdMember&) const = default;
};

struct EtcdStatus {
  EtcdMemberId member;
  EtcdMemberId leader;  // zero: no leader known
  std::uint64_t raft_index{0};
  std::uint64_t raft_applied_index{0};
  bool is_learner{false};
  std::vector<std::string> errors;
  std::uint64_t raft_term{0};
  std::uint64_t db_bytes{0};         // of the file; not known: zero
  std::uint64_t db_bytes_in_use{0};  // the rest is freed by a defragmentation
  std::string version{};             // of etcd: "3.6.8"
  std::string storage_version{};     // "3.6.0"; since Talos 1.11
};

enum class EtcdAlarmKind { no_space, corrupt };

struct EtcdAlarm {
  EtcdMemberId member;
  EtcdAlarmKind kind{EtcdAlarmKind::no_space};
};

}  // namespace ichor
