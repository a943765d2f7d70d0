#include "sim/node/spec.h"

#include <charconv>

namespace ichor::sim {

const TalosRelease& release_of(Personality personality) {
  return *find_release({1, 12 + static_cast<int>(personality), 0});
}

TalosVersion talos_version(Personality personality) { return release_of(personality).version; }

TalosVersion version_of(const NodeSpec& spec) {
  return spec.version.value_or(talos_version(spec.personality));
}

std::optional<BootSlot> slot_of(const std::string& image) {
  constexpr std::size_t kSchematicDigits = 64;
  const std::size_t colon = image.rfind(':');
  if (colon == std::string::npos || image.compare(colon, 2, ":v") != 0) return std::nullopt;
  BootSlot slot;
  const char* at = image.data() + colon + 1;
  const char* const end = image.data() + image.size();
  for (int* part : {&slot.version.major, &slot.version.minor, &slot.version.patch}) {
    if (at >= end) return std::nullopt;
    const auto [next, error] = std::from_chars(at + 1, end, *part);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  const std::size_t slash = image.rfind('/', colon);
  const std::string name =
      slash == std::string::npos ? std::string() : image.substr(slash + 1, colon - slash - 1);
  if (name.size() == kSchematicDigits) slot.schematic = name;
  return slot;
}

Personality nearest_personality(const TalosVersion& version) {
  for (const Personality personality : {Personality::v1_14, Personality::v1_13}) {
    if (version >= release_of(personality).contract()) return personality;
  }
  return Personality::v1_12;
}

Durations container_durations() {
  using std::chrono::milliseconds;
  Durations durations;
  durations.power_on_to_api = milliseconds(1500);
  durations.config_to_switch = milliseconds(50);
  durations.port_gap = milliseconds(400);
  durations.install = milliseconds(0);
  durations.reboot_down = milliseconds(12'200);
  durations.cri_start = milliseconds(500);
  durations.kubelet_start = milliseconds(1900);
  durations.kubelet_healthy = milliseconds(1700);
  durations.etcd_prepare = milliseconds(500);
  durations.etcd_healthy = milliseconds(4700);
  durations.etcd_join_retry = milliseconds(3000);
  durations.etcd_catch_up = milliseconds(19'000);
  durations.api_server_start = milliseconds(15'200);
  durations.node_register = milliseconds(39'300);
  durations.node_ready = milliseconds(14'400);
  durations.time_sync = milliseconds(0);
  durations.worker_certificate = milliseconds(1000);
  return durations;
}

}  // namespace ichor::sim
