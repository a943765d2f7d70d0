#include "lab/cosi/sight.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

#include "sim/node/digest.h"

namespace ichor::lab {

Sight::Sight(Site& site, Machine& machine)
    : site(site), machine(machine), node(machine.node()), config(machine.config()) {
  if (const auto found = node.machine_status(kInsider)) status = *found;
  hostname = node.hostname().value();
  address = node.address().value();
  if (config && config->prefix_length > 0) prefix_length = config->prefix_length;
}

bool Sight::node_registered() const {
  if (!config || (status.stage != Stage::running && status.stage != Stage::booting)) return false;
  for (const UnmetCondition& unmet : status.unmet) {
    if (unmet.name == "nodeReady") return unmet.reason.ends_with("is not ready");
  }
  return true;
}

bool Sight::node_ready() const {
  if (!node_registered()) return false;
  for (const UnmetCondition& unmet : status.unmet) {
    if (unmet.name == "nodeReady") return false;
  }
  return true;
}

std::vector<Machine*> Sight::peers() const {
  std::vector<Machine*> peers;
  if (!config) return peers;
  for (const auto& other : site.machines()) {
    const auto theirs = other->last_config();
    if (theirs && theirs->cluster_id == config->cluster_id) peers.push_back(other.get());
  }
  return peers;
}

std::string node_id(const Machine& machine) {
  static constexpr std::string_view letters =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const sim::NodeSpec& spec = machine.node().spec();
  std::uint64_t bits =
      sim::head_of(sim::quick_digest(spec.name.value() + spec.hardware.uuid.value()));
  std::string id;
  while (id.size() < 43) {
    id += letters[bits % letters.size()];
    bits = sim::mix(bits);
  }
  return id;
}

std::string operating_system(const Machine& machine) {
  return "Talos (" + to_text(sim::version_of(machine.node().spec())) + ")";
}

std::string pretty_size(std::uint64_t bytes) {
  static constexpr std::array units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  // One digit behind the point below ten, none above, and the half goes up.
  const double rounded = std::floor(value * 10 + 0.5) / 10;
  if (rounded < 10) return fmt::format("{:.1f} {}", rounded, units[unit]);
  return fmt::format("{:.0f} {}", rounded, units[unit]);
}

}  // namespace ichor::lab
