#include "phase/recovery.h"

#include <fmt/format.h>

namespace ichor {

std::string recovery_for(const NodePlan& plan, Stage stage) {
  const std::string& name = plan.name.value();
  const std::string talosctl = "talosctl -n " + plan.address.value();
  switch (stage) {
    case Stage::unknown:
      return fmt::format(
          "look at the console of {}; `ichor preflight -n {}` shows whether it is "
          "there",
          name, name);
    case Stage::maintenance:
      return fmt::format("look at the console of {}; `ichor apply -n {}` sends its config again",
                         name, name);
    case Stage::installing:
      return fmt::format(
          "`{} dmesg` shows whether the installer image can be pulled; fix the "
          "registry or the disk, then `ichor up` continues",
          talosctl);
    case Stage::booting:
      return fmt::format(
          "`{0} services` and `{0} dmesg` show what it waits for; `{0} reboot` "
          "starts it again, `ichor verify -n {1}` looks again",
          talosctl, name);
    case Stage::running:
      return fmt::format(
          "`{0} logs kubelet` and `kubectl describe node {1}` show what is unmet; "
          "`ichor verify -n {1}` looks again",
          talosctl, name);
    case Stage::upgrading:
    case Stage::resetting:
      return fmt::format(
          "`{} dmesg --follow` shows its progress. It writes to its disk: do not switch {} off; "
          "when "
          "it has finished, `ichor up` continues",
          talosctl, name);
    case Stage::rebooting:
    case Stage::shutting_down:
      return fmt::format(
          "`{} dmesg --follow`; if {} does not go down, power-cycle it, then "
          "`ichor up` continues",
          talosctl, name);
  }
  return {};
}

}  // namespace ichor
