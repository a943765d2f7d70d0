#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster_profile.h"
#include "model/node.h"

namespace ichor {

/// Which of a machine's disks the config means, by Talos' own rules: a selector wins over a path,
/// its terms must all hold, and a disk without a transport, a read-only one and a CD never match.
/// Talos takes the first match by id; ichor names all of them, because a second one means that
/// the selector says less than its author thinks.
struct InstallDisks {
  enum class How {
    found,        // `disks` are the matches, sorted by id
    link,         // a path below /dev/disk/, and the node does not say where its links lead
    unspecified,  // the profile does not say; the config may
  };
  How how{How::found};
  std::vector<Disk> disks;
};

/// An error if the selector itself cannot be read (a size, a type).
Result<InstallDisks> install_disks(const NodePlan& plan, const std::vector<Disk>& present);

/// Whether the path, or a link below /dev/disk/, leads to the disk.
bool is_at(const Disk& disk, std::string_view path);

/// Talos installs to it if the config says so: it has a transport, can be written and is no CD.
bool takes_talos(const Disk& disk);

/// What the profile says of the disk: "/dev/sda", or "serial S1, size >= 100GB" of a selector.
std::string wanted_disk(const NodePlan& plan);

/// Talos' glob: '*' stands for any text, everything else for itself.
bool matches_glob(std::string_view pattern, std::string_view text);

/// "/dev/sda, 64.0 GiB, QEMU HARDDISK, serial S1, virtio".
std::string to_text(const Disk& disk);

/// How an operator names the disk in a consent: its serial, else its WWID, else its path.
std::string consent_name(const Disk& disk);

}  // namespace ichor
