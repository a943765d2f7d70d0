#include "lab/proxmox/machines.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/ip.h"

namespace ichor::lab {

namespace {

constexpr std::size_t kPoolSize = 32;

std::int64_t number_of(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string value_of(const PveVm& vm, const std::string& key) {
  const auto found = vm.config.find(key);
  return found == vm.config.end() ? std::string() : found->second;
}

Disk disk_of(const PveVm& vm, std::size_t index, std::int64_t gib) {
  Disk disk;
  disk.id = fmt::format("sd{}", static_cast<char>('a' + index));
  disk.dev_path = "/dev/" + disk.id;
  disk.size_bytes = static_cast<std::uint64_t>(gib) << 30;
  disk.model = "QEMU HARDDISK";
  disk.serial = fmt::format("drive-scsi{}", index);
  disk.wwid = fmt::format("t10.ATA QEMU {} {}", vm.id, index);
  disk.modalias = "scsi:t-0x00";
  disk.bus_path = "/pci0000:00/0000:00:1e.0/0000:05:01.0/virtio1/host0/";
  disk.transport = "virtio";
  return disk;
}

}  // namespace

std::string option_of(const std::string& options, const std::string& key) {
  std::size_t begin = 0;
  while (begin < options.size()) {
    const std::size_t end = std::min(options.find(',', begin), options.size());
    const std::string part = options.substr(begin, end - begin);
    if (part.starts_with(key + "=")) return part.substr(key.size() + 1);
    begin = end + 1;
  }
  return {};
}

std::string mac_of(const PveVm& vm) {
  const std::string card = value_of(vm, "net0");
  const std::size_t equals = card.find('=');
  if (equals == card.npos) return {};
  return normal_mac(card.substr(equals + 1, 17)).value_or("");
}

std::vector<std::int64_t> disks_of(const PveVm& vm) {
  std::vector<std::int64_t> disks;
  for (int i = 0; i < 31; ++i) {
    const std::string volume = value_of(vm, fmt::format("scsi{}", i));
    if (volume.empty()) break;
    // As asked for ("local-lvm:20"), or as it is shown later ("…,size=20G").
    const std::string size = option_of(volume, "size");
    const std::string asked = volume.substr(0, volume.find(','));
    disks.push_back(number_of(size.empty() ? asked.substr(asked.find(':') + 1) : size));
  }
  return disks;
}

MachineRecord machine_of(const PveVm& vm, const std::string& name, const std::string& address,
                         sim::Personality personality) {
  MachineRecord record;
  record.powered = false;
  record.link = "eth0";
  sim::NodeSpec& spec = record.spec;
  spec.name = NodeName(name);
  if (const std::string mac = mac_of(vm); !mac.empty()) spec.hardware.macs = {MacAddress(mac)};
  spec.hardware.uuid = MachineUuid(option_of(value_of(vm, "smbios1"), "uuid"));
  spec.dhcp_address = IpAddress(address);
  spec.personality = personality;
  spec.memory_bytes = static_cast<std::uint64_t>(number_of(value_of(vm, "memory"))) << 20;
  const std::vector<std::int64_t> disks = disks_of(vm);
  for (std::size_t i = 0; i < disks.size(); ++i) {
    spec.disks.push_back(disk_of(vm, i, disks[i]));
  }
  return record;
}

std::vector<std::string> dhcp_pool(const std::string& network,
                                   const std::vector<std::string>& taken) {
  std::vector<std::string> pool;
  const auto cidr = parse_cidr(network);
  if (!cidr || cidr->address.v6) return pool;
  const auto number = [](const Ip& ip) {
    return std::uint32_t{ip.bytes[0]} << 24 | std::uint32_t{ip.bytes[1]} << 16 |
           std::uint32_t{ip.bytes[2]} << 8 | ip.bytes[3];
  };
  const std::uint32_t first = number(first_of(*cidr)) + 1;
  for (std::uint32_t at = number(last_of(*cidr)) - 1; at > first && pool.size() < kPoolSize; --at) {
    std::string address =
        fmt::format("{}.{}.{}.{}", at >> 24, at >> 16 & 255, at >> 8 & 255, at & 255);
    if (std::find(taken.begin(), taken.end(), address) == taken.end()) {
      pool.push_back(std::move(address));
    }
  }
  return pool;
}

}  // namespace ichor::lab
