#include "lab/hardware.h"

#include <fmt/format.h>

#include "sim/node/digest.h"
#include "sim/node/disk_selector.h"
#include "yaml/build.h"

namespace ichor::lab {

namespace {

/// A text that a glob matches.
std::string example_of(const std::string& pattern, const std::string& fallback) {
  if (pattern.empty()) return fallback;
  std::string text = pattern;
  std::erase(text, '*');
  return text.empty() ? fallback : text;
}

std::string transport_of(const NodePlan& plan, const std::string& id) {
  if (id.starts_with("nvme")) return "nvme";
  if (id.starts_with("mmcblk")) return "mmc";
  if (id.starts_with("vd")) return "virtio";
  const std::string& type = plan.disk_selector.type;
  if (type == "nvme") return "nvme";
  return type == "sd" ? "mmc" : "sata";
}

/// The first size of a usual list that fits what the plan asks for.
void fit_size(const std::string& wanted, Disk& disk) {
  if (wanted.empty()) {
    disk.size_bytes = 64ull << 30;
    return;
  }
  const auto selector = sim::DiskSelector::read(yaml::map().set("size", wanted));
  for (const std::uint64_t gib :
       {64ull, 128ull, 256ull, 512ull, 1024ull, 2048ull, 4096ull, 32ull, 16ull, 8ull}) {
    for (const std::uint64_t unit : {std::uint64_t{1} << 30, std::uint64_t{1'000'000'000}}) {
      disk.size_bytes = gib * unit;
      if (selector && selector->choose({disk}) != nullptr) return;
    }
  }
  disk.size_bytes = 64ull << 30;
}

Disk system_disk_for(const NodePlan& plan) {
  const DiskSelector& selector = plan.disk_selector;
  Disk disk;
  const bool by_link = plan.disk.starts_with("/dev/disk/");
  disk.dev_path = plan.disk.starts_with("/dev/") && !by_link ? plan.disk : "/dev/sda";
  if (selector.type == "nvme" && plan.disk.empty()) disk.dev_path = "/dev/nvme0n1";
  disk.id = disk.dev_path.substr(5);
  disk.transport = transport_of(plan, disk.id);
  // The kernel takes a virtio disk for a rotating one; it has neither a model nor a WWID.
  const bool is_virtio = disk.transport == "virtio";
  disk.rotational = selector.type == "hdd" || (is_virtio && selector.type != "ssd");
  disk.model = example_of(selector.model, is_virtio ? "" : "LAB DISK");
  disk.serial = example_of(selector.serial, "DISK-" + plan.name.value());
  disk.wwid = example_of(selector.wwid, is_virtio ? "" : "naa.lab-" + plan.name.value());
  disk.uuid = example_of(selector.uuid, "");
  disk.modalias =
      example_of(selector.modalias, is_virtio ? "virtio:d00000002v00001AF4" : "scsi:t-0x00");
  disk.bus_path = example_of(selector.bus_path, "/pci0000:00/0000:00:05.0/");
  const std::string kind = disk.transport == "sata" ? "ata" : disk.transport;
  disk.links = {by_link ? plan.disk : fmt::format("/dev/disk/by-id/{}-{}", kind, disk.serial)};
  fit_size(selector.size, disk);
  return disk;
}

}  // namespace

sim::NodeSpec machine_for(const NodePlan& plan, sim::Personality personality,
                          sim::Platform platform) {
  sim::NodeSpec spec;
  spec.name = plan.name;
  const std::uint64_t number = sim::head_of(sim::quick_digest(plan.name.value()));
  spec.hardware.macs = {plan.mac};
  if (plan.mac.value().empty()) {
    spec.hardware.macs = {MacAddress(fmt::format("52:54:00:{:02x}:{:02x}:{:02x}", number & 0xff,
                                                 (number >> 8) & 0xff, (number >> 16) & 0xff))};
  }
  spec.dhcp_address =
      plan.maintenance_address.value().empty() ? plan.address : plan.maintenance_address;
  spec.personality = personality;
  spec.platform = platform;
  if (platform == sim::Platform::container) {
    spec.durations = sim::container_durations();
    return spec;
  }
  spec.hardware.uuid =
      plan.uuid.value().empty() ? MachineUuid(sim::uuid_from(number, sim::mix(number))) : plan.uuid;
  spec.hardware.serial =
      plan.serial.value().empty() ? SerialNumber("LAB-" + plan.name.value()) : plan.serial;
  spec.disks = {system_disk_for(plan)};
  return spec;
}

std::string link_of(const NodePlan& plan) {
  return plan.interface.empty() ? "eth0" : plan.interface;
}

}  // namespace ichor::lab
