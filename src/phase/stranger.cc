#include "phase/stranger.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"

namespace ichor {

namespace {

bool has_mac(const Identity& identity, const MacAddress& mac) {
  return !mac.value().empty() &&
         std::find(identity.macs.begin(), identity.macs.end(), mac) != identity.macs.end();
}

/// The other node of the profile that this machine is.
const NodePlan* find_owner(const ClusterProfile& profile, const NodePlan& plan,
                           const Identity& identity) {
  for (const NodePlan& other : profile.nodes) {
    if (other.name == plan.name) continue;
    const bool same_uuid = !other.uuid.value().empty() && other.uuid == identity.uuid;
    const bool same_serial = !other.serial.value().empty() && other.serial == identity.serial;
    if (same_uuid || same_serial || has_mac(identity, other.mac)) return &other;
  }
  return nullptr;
}

/// "MAC 52:54:00:16:01:02, UUID …": what the machine says of itself.
std::string marks_of(const Identity& identity) {
  std::string text;
  for (const MacAddress& mac : identity.macs) text += (text.empty() ? "MAC " : ", ") + mac.value();
  if (!identity.uuid.value().empty()) {
    text += (text.empty() ? "UUID " : ", UUID ") + identity.uuid.value();
  }
  return text.empty() ? "no MAC and no UUID" : text;
}

/// The same of what the profile says.
std::string marks_of(const NodePlan& plan) {
  std::string text;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, value);
  };
  add("MAC", plan.mac.value());
  add("UUID", plan.uuid.value());
  add("serial", plan.serial.value());
  return text;
}

}  // namespace

Finding stranger_finding(const ClusterProfile& profile, const NodePlan& plan,
                         const NodeView& view) {
  check(view.identity.has_value(), "a stranger has an identity");
  const std::string& here = plan.name.value();
  const std::string& address = view.address.value();
  Finding finding;
  finding.id = "D8";
  finding.node = plan.name;
  finding.where = "identity";
  const std::string wanted = marks_of(plan);
  finding.what = fmt::format("the machine that answers at {} is not {}: it has {}", address, here,
                             marks_of(*view.identity));
  if (!wanted.empty()) finding.what += fmt::format("; the profile says {} for {}", wanted, here);
  const NodePlan* owner = find_owner(profile, plan, *view.identity);
  if (owner == nullptr) {
    finding.fix = fmt::format(
        "if this machine is {0}, correct its mac, uuid or serial in the profile; if {0} is "
        "elsewhere, give its address with `--address {0}=IP`; `ip neigh show {1}` shows which MAC "
        "answers",
        here, address);
    return finding;
  }
  finding.what += fmt::format("; it is {}, whose address in the profile is {}", owner->name.value(),
                              owner->maintenance_address.value());
  finding.fix = fmt::format(
      "if mac, uuid or serial of {0} and {1} are swapped in the profile, correct them there; if "
      "the machines have each other's addresses until they get their configs, add `--address "
      "{1}={2} --address {0}={3}`",
      here, owner->name.value(), address, owner->maintenance_address.value());
  return finding;
}

}  // namespace ichor
