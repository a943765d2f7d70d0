#include "proxmox/vm_params.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string network_of(const VmSpec& spec) {
  std::string mac = spec.mac.value();
  std::transform(mac.begin(), mac.end(), mac.begin(),
                 [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
  std::string text = fmt::format("virtio={},bridge={}", mac, spec.bridge);
  if (spec.vlan) text += fmt::format(",tag={}", *spec.vlan);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> vm_params(const VmSpec& spec) {
  std::vector<std::pair<std::string, std::string>> params;
  const auto add = [&params](std::string key, std::string value) {
    params.emplace_back(std::move(key), std::move(value));
  };
  add("vmid", fmt::to_string(spec.place.id));
  add("name", spec.name);
  add("tags", joined(spec.tags, ";"));
  add("description", spec.description);
  add("ostype", "l26");
  add("machine", spec.machine);
  add("bios", spec.bios);
  add("cpu", spec.cpu);
  add("sockets", "1");
  add("cores", fmt::to_string(spec.cores));
  add("memory", fmt::to_string(spec.memory_mib));
  // Zero switches the device off; without the key it is on.
  if (!spec.ballooning) add("balloon", "0");
  add("agent", spec.agent ? "enabled=1" : "enabled=0");
  add("scsihw", spec.scsi_controller);
  for (std::size_t i = 0; i < spec.disks_gib.size(); ++i) {
    add(fmt::format("scsi{}", i),
        fmt::format("{}:{},discard=on,iothread=1,ssd=1", spec.storage, spec.disks_gib[i]));
  }
  if (spec.bios == "ovmf") {
    // Without keys in it: Talos enrolls its own in setup mode.
    add("efidisk0", fmt::format("{}:1,efitype=4m,pre-enrolled-keys=0", spec.storage));
  }
  if (spec.tpm) add("tpmstate0", fmt::format("{}:1,version=v2.0", spec.storage));
  add("net0", network_of(spec));
  add("ide2", fmt::format("{},media=cdrom", spec.image));
  if (!spec.first_cidr.empty()) {
    add("ide0", fmt::format("{}:cloudinit", spec.storage));
    add("citype", "nocloud");
    add("ipconfig0", spec.gateway.empty()
                         ? fmt::format("ip={}", spec.first_cidr)
                         : fmt::format("ip={},gw={}", spec.first_cidr, spec.gateway));
    if (!spec.nameservers.empty()) add("nameserver", joined(spec.nameservers, " "));
  }
  // The disk first: an empty one falls through to the image, an installed one does not.
  add("boot", "order=scsi0;ide2");
  add("smbios1", fmt::format("uuid={}", spec.uuid.value()));
  add("serial0", "socket");
  add("onboot", spec.start_at_boot ? "1" : "0");
  if (!spec.pool.empty()) add("pool", spec.pool);
  return params;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' ||
                       byte == '~';
    result += plain ? std::string(1, byte) : fmt::format("%{:02X}", code);
  }
  return result;
}

std::string form_of(const std::vector<std::pair<std::string, std::string>>& params) {
  std::string body;
  for (const auto& [key, value] : params) {
    if (!body.empty()) body += '&';
    body += percent_encoded(key) + "=" + percent_encoded(value);
  }
  return body;
}

}  // namespace ichor
