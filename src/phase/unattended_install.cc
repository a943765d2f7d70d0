#include "phase/unattended_install.h"

#include <fmt/format.h>

namespace ichor {

std::optional<Wait> wait_for_install(const NodePlan& plan, const NodeView& view) {
  if (!view.status || !view.status->install) return std::nullopt;
  using Phase = UnattendedInstall::Phase;
  const UnattendedInstall& install = *view.status->install;
  const std::string& name = plan.name.value();
  const std::string said = install.error.empty() ? "" : ": " + install.error;
  switch (install.phase) {
    case Phase::installed: return std::nullopt;
    case Phase::installing: return Wait{fmt::format("{} is installing", name)};
    case Phase::waiting_for_reboot:
      return Wait{fmt::format("{} is installed and waits for its reboot", name)};
    case Phase::pending:
      return Wait{fmt::format("{} does not install itself yet{}", name, said), "D3",
                  fmt::format("compare disk and diskSelector of {} with `talosctl -n {} get disks`",
                              name, plan.address.value())};
    case Phase::failed: break;
  }
  return Wait{fmt::format("{} cannot install itself and tries again{}", name, said), "D2",
              fmt::format("see `talosctl -n {} dmesg`; check the registry, talos.installer_image "
                          "and the schematic",
                          plan.address.value())};
}

}  // namespace ichor
