#include "machineconfig/installer.h"

#include <fmt/format.h>

namespace ichor {

std::string installer_image(const TalosPlan& talos, const NodePlan& node) {
  if (!talos.installer_image.empty()) return talos.installer_image;
  const std::string tag =
      fmt::format("v{}.{}.{}", talos.version.major, talos.version.minor, talos.version.patch);
  const std::string& schematic = node.schematic.empty() ? talos.schematic_id : node.schematic;
  if (schematic.empty()) return "ghcr.io/siderolabs/installer:" + tag;
  const char* flavour = talos.secure_boot ? "installer-secureboot" : "installer";
  return fmt::format("factory.talos.dev/{}/{}:{}", flavour, schematic, tag);
}

}  // namespace ichor
