#include <fmt/format.h>
#include <string>
#include <vector>

#include "lab/cosi/kinds.h"
#include "lab/cosi/make.h"
#include "sim/node/digest.h"
#include "spec_block.pb.h"

namespace ichor::lab::makers {

namespace {

constexpr std::uint64_t kMiB = 1ull << 20;

struct Partition {
  std::string label;
  std::string content;  // file system, or what was found instead of one
  std::uint64_t size{0};
  std::string type_uuid;
};

constexpr const char* kLinuxData = "0fc63daf-8483-4772-8e79-3d69d8477de4";

/// What an install leaves on its disk.
std::vector<Partition> talos_partitions(std::uint64_t disk_size, bool etcd_volume) {
  const std::uint64_t efi = 2101 * kMiB;
  const std::uint64_t state = 100 * kMiB;
  const std::uint64_t rest = disk_size - efi - kMiB - state - 10 * kMiB;
  const std::uint64_t etcd = etcd_volume ? rest / 4 : 0;
  std::vector<Partition> partitions = {{"EFI", "vfat", efi, "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"},
                                       {"META", "talosmeta", kMiB, kLinuxData},
                                       {"STATE", "xfs", state, kLinuxData},
                                       {"EPHEMERAL", "xfs", rest - etcd, kLinuxData}};
  if (etcd_volume) partitions.push_back({"ETCD", "xfs", etcd, kLinuxData});
  return partitions;
}

std::vector<Partition> partitions_of(const Disk& disk) {
  if (disk.system_disk) return talos_partitions(disk.size_bytes, disk.etcd_volume);
  if (!disk.has_volumes) return {};
  return {{"data", "ext4", disk.size_bytes - 2 * kMiB, "0fc63daf-8483-4772-8e79-3d69d8477de4"}};
}

/// "sda1", but "nvme0n1p1".
std::string partition_id(const std::string& disk, std::size_t number) {
  const bool digit = !disk.empty() && disk.back() >= '0' && disk.back() <= '9';
  return disk + (digit ? "p" : "") + std::to_string(number);
}

std::string uuid_for(const std::string& text) {
  const std::uint64_t number = sim::head_of(sim::quick_digest(text));
  return sim::uuid_from(number, sim::mix(number));
}

yaml::Map volume_yaml(const spec::DiscoveredVolume& volume) {
  yaml::Map text;
  text.set("dev_path", volume.dev_path());
  text.set("type", volume.type());
  text.set("device_path", volume.device_path());
  set_if(text, "parent", volume.parent());
  set_if(text, "parent_dev_path", volume.parent_dev_path());
  text.set("offset", volume.offset());
  text.set("size", volume.size());
  text.set("pretty_size", volume.pretty_size());
  text.set("sector_size", volume.sector_size());
  text.set("io_size", volume.io_size());
  text.set("name", volume.name());
  set_if(text, "uuid", volume.uuid());
  set_if(text, "label", volume.label());
  if (volume.probed_size() != 0) text.set("probed_size", volume.probed_size());
  set_if(text, "partition_uuid", volume.partition_uuid());
  set_if(text, "partition_type", volume.partition_type());
  set_if(text, "partition_label", volume.partition_label());
  if (volume.partition_index() != 0) text.set("partition_index", volume.partition_index());
  return text;
}

spec::DiscoveredVolume whole_disk(const Disk& disk) {
  spec::DiscoveredVolume volume;
  volume.set_dev_path(disk.dev_path);
  volume.set_type("disk");
  volume.set_device_path(disk.bus_path + disk.id);
  volume.set_size(disk.size_bytes);
  volume.set_pretty_size(pretty_size(disk.size_bytes));
  volume.set_sector_size(512);
  volume.set_io_size(512);
  if (disk.has_volumes || disk.system_disk) {
    volume.set_name("gpt");
    volume.set_uuid(uuid_for("gpt of " + disk.serial));
  }
  return volume;
}

std::vector<Disk> disks_of(const Sight& sight) {
  const auto known = sight.node.disks(kInsider);
  std::vector<Disk> disks = known ? *known : std::vector<Disk>();
  const WireFaults& faults = sight.machine.faults;
  if (disks.empty()) return disks;
  if (faults.disk_data) disks.front().has_volumes = true;
  if (faults.two_disks) {
    Disk twin = disks.front();
    twin.id += "2nd";
    twin.dev_path += "2nd";
    twin.serial += "-2";
    twin.wwid += "2";
    twin.system_disk = false;
    disks.push_back(std::move(twin));
  }
  return disks;
}

}  // namespace

void disks(const Sight& sight, Resources& out) {
  for (const Disk& disk : disks_of(sight)) {
    spec::Disk message;
    message.set_dev_path(disk.dev_path);
    message.set_size(disk.size_bytes);
    message.set_pretty_size(pretty_size(disk.size_bytes));
    message.set_io_size(512);
    message.set_sector_size(512);
    message.set_readonly(disk.read_only);
    message.set_cdrom(disk.cdrom);
    message.set_model(disk.model);
    message.set_serial(disk.serial);
    message.set_modalias(disk.modalias);
    message.set_wwid(disk.wwid);
    message.set_uuid(disk.uuid);
    message.set_bus_path(disk.bus_path);
    message.set_sub_system("/sys/class/block");
    message.set_transport(disk.transport);
    message.set_rotational(disk.rotational);
    for (const std::string& link : disk.links) message.add_symlinks(link);
    yaml::Map text;
    text.set("dev_path", disk.dev_path);
    text.set("size", disk.size_bytes);
    text.set("pretty_size", message.pretty_size());
    text.set("io_size", 512);
    text.set("sector_size", 512);
    text.set("readonly", disk.read_only);
    text.set("cdrom", disk.cdrom);
    set_if(text, "model", disk.model);
    set_if(text, "serial", disk.serial);
    set_if(text, "modalias", disk.modalias);
    set_if(text, "wwid", disk.wwid);
    set_if(text, "uuid", disk.uuid);
    set_if(text, "bus_path", disk.bus_path);
    text.set("sub_system", message.sub_system());
    set_if(text, "transport", disk.transport);
    if (disk.rotational) text.set("rotational", true);
    text.set("symlinks", yaml::list(disk.links));
    out.push_back(make_resource("runtime", disk.id, message, text));
  }
}

void discovered_volumes(const Sight& sight, Resources& out) {
  for (const Disk& disk : disks_of(sight)) {
    const spec::DiscoveredVolume whole = whole_disk(disk);
    out.push_back(make_resource("runtime", disk.id, whole, volume_yaml(whole)));
    std::uint64_t offset = kMiB;
    std::size_t number = 1;
    for (const Partition& partition : partitions_of(disk)) {
      const std::string id = partition_id(disk.id, number);
      spec::DiscoveredVolume volume = whole;
      volume.set_dev_path("/dev/" + id);
      volume.set_type("partition");
      volume.set_device_path(whole.device_path() + "/" + id);
      volume.set_parent(disk.id);
      volume.set_parent_dev_path(disk.dev_path);
      volume.set_offset(offset);
      volume.set_size(partition.size);
      volume.set_pretty_size(pretty_size(partition.size));
      volume.set_name(partition.content);
      volume.set_uuid(uuid_for("content of " + disk.serial + id));
      volume.set_label(partition.content == "talosmeta" ? "" : partition.label);
      volume.set_probed_size(partition.size);
      volume.set_partition_uuid(uuid_for("partition of " + disk.serial + id));
      volume.set_partition_type(partition.type_uuid);
      volume.set_partition_label(partition.label);
      volume.set_partition_index(number);
      out.push_back(make_resource("runtime", id, volume, volume_yaml(volume)));
      offset += partition.size;
      ++number;
    }
  }
}

void system_disk(const Sight& sight, Resources& out) {
  for (const Disk& disk : disks_of(sight)) {
    if (!disk.system_disk) continue;
    spec::SystemDisk message;
    message.set_disk_id(disk.id);
    message.set_dev_path(disk.dev_path);
    out.push_back(make_resource("runtime", "system-disk", message,
                                yaml::map().set("diskID", disk.id).set("devPath", disk.dev_path)));
  }
}

void volume_status(const Sight& sight, Resources& out) {
  if (sight.machine.container()) return;
  const Disk* system = nullptr;
  const std::vector<Disk> all = disks_of(sight);
  for (const Disk& disk : all) {
    if (disk.system_disk) system = &disk;
  }
  const std::vector<Partition> partitions =
      system == nullptr ? talos_partitions(1ull << 40, false)
                        : talos_partitions(system->size_bytes, system->etcd_volume);
  for (std::size_t i = 1; i < partitions.size(); ++i) {
    const Partition& partition = partitions[i];
    spec::VolumeStatus message;
    yaml::Map text;
    if (system == nullptr) {
      message.set_phase(spec::PHASE_MISSING);
      text.set("phase", "missing").set("type", "partition");
      out.push_back(make_resource("runtime", partition.label, message, text));
      continue;
    }
    const std::string path = "/dev/" + partition_id(system->id, i + 1);
    const bool xfs = partition.content == "xfs";
    message.set_phase(spec::PHASE_READY);
    message.set_location(path);
    message.set_mount_location(path);
    message.set_parent_location(system->dev_path);
    message.set_partition_index(static_cast<std::int64_t>(i + 1));
    message.set_uuid(uuid_for("content of " + system->serial + path.substr(5)));
    message.set_partition_uuid(uuid_for("partition of " + system->serial + path.substr(5)));
    message.set_size(partition.size);
    message.set_pretty_size(pretty_size(partition.size));
    message.set_filesystem(xfs ? spec::FILESYSTEM_XFS : spec::FILESYSTEM_NONE);
    text.set("phase", "ready").set("type", "partition").set("location", path);
    text.set("mountLocation", path).set("partitionIndex", i + 1);
    text.set("parentLocation", system->dev_path).set("uuid", message.uuid());
    text.set("partitionUUID", message.partition_uuid()).set("size", partition.size);
    text.set("prettySize", message.pretty_size());
    text.set("filesystem", xfs ? "xfs" : "none");
    out.push_back(make_resource("runtime", partition.label, message, text));
  }
  // Without a partition of its own it is a directory of EPHEMERAL, which has no device.
  const bool own = system != nullptr && system->etcd_volume;
  if (own || system == nullptr || !sight.machine.typed()) return;
  spec::VolumeStatus directory;
  directory.set_phase(spec::PHASE_READY);
  out.push_back(make_resource("runtime", "ETCD", directory,
                              yaml::map().set("phase", "ready").set("type", "directory")));
}

}  // namespace ichor::lab::makers
