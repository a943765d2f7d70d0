#include "machineconfig/installer.h"

#include <fmt/format.h>

#include "machineconfig/rules.h"

namespace ichor {

namespace {

/// The id of the schematic without anything in it.
constexpr std::string_view kEmptySchematic =
    "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

}  // namespace

std::string installer_image(const TalosPlan& talos, const NodePlan& node) {
  if (!talos.installer_image.empty()) return talos.installer_image;
  const std::string tag =
      fmt::format("v{}.{}.{}", talos.version.major, talos.version.minor, talos.version.patch);
  std::string schematic = node.schematic.empty() ? talos.schematic_id : node.schematic;
  const bool factory = rules_of(talos.version.minor).installs_from_factory;
  if (schematic.empty() && !factory) return "ghcr.io/siderolabs/installer:" + tag;
  if (schematic.empty()) schematic = kEmptySchematic;
  return fmt::format("factory.talos.dev/{}installer{}/{}:{}", factory ? "metal-" : "",
                     talos.secure_boot ? "-secureboot" : "", schematic, tag);
}

}  // namespace ichor
