#include "lab/fault.h"

#include <charconv>

#include "sim/node/digest.h"
#include "yaml/document.h"

namespace ichor::lab {

namespace {

/// "30s", "1.5s", "200ms", "2m".
bool parse_duration(std::string_view text, Duration& out) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return false;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double scale = 0;
  if (unit == "ms") scale = 1e6;
  if (unit == "s") scale = 1e9;
  if (unit == "m") scale = 60e9;
  if (unit == "h") scale = 3600e9;
  if (scale == 0) return false;
  out = Duration(static_cast<Duration::rep>(number * scale));
  return true;
}

bool is_known(const std::string& fault) {
  for (const FaultKind& kind : fault_kinds()) {
    if (kind.name == fault) return true;
  }
  return false;
}

}  // namespace

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds = {
      {"refuse", "N1", "no program listens on its ports", true},
      {"blackhole", "N2", "its address swallows every packet", true},
      {"lost-reply", "N3", "the next change is carried out and its reply lost", false, true},
      {"slow", "N6", "every piece of data takes half a second longer", true},
      {"trickle", "N6", "8 kB/s and not more", true},
      {"reset", "N7", "all its connections are reset", false},
      {"half-open", "N8", "its connections fall silent for ever; new ones work", false},
      {"wrong-ca", "T1", "it shows a certificate of another cluster", true},
      {"new-key", "T2", "another key answers in its place, without a reboot", false},
      {"evil-kubeconfig", "T11", "the kubeconfig it returns leads elsewhere and runs a program",
       true},
      {"crash", "D1", "it loses power and comes back", false},
      {"power-off", "D1", "it loses power", false},
      {"power-on", "D1", "it is switched on", false},
      {"crash-after", "E1", "it answers the next change and loses power then", false, true},
      {"disk-data", "D3", "its disk seems to hold a file system", true},
      {"two-disks", "D3", "it seems to have two equal disks", true},
      {"pull-fails", "D2", "the installer image cannot be pulled", true},
      {"image-missing", "U1", "an installer image cannot be pulled for an upgrade", true},
      {"image-broken", "U3", "the image that is installed now does not boot: it falls back", true},
      {"installer-fails", "U4", "the installer finds no space for the new image", true},
      {"reboot", "D6", "it reboots as if a user had asked for it", false},
      {"freeze", "D7", "it takes connections and answers nothing", true},
      {"learner-stuck", "E7", "its etcd member is not promoted", true},
      {"alarm-nospace", "E9", "its etcd runs out of space", false},
      {"alarm-corrupt", "E9", "its etcd finds its data corrupt", false},
      {"time-unsynced", "T7", "its clock does not come into sync", true},
      {"apply-busy", "A1", "another apply seems to be in progress (Talos 1.13)", true},
      {"transient", "A1", "the next change is not done; it answers Unavailable", false, true},
      {"overloaded", "A7", "the next change is not done; it answers ResourceExhausted", false,
       true},
      {"pve-down", "P1", "the port of Proxmox is closed", true},
      {"pve-slow", "P1", "Proxmox takes four seconds for every answer", true},
      {"pve-lost-reply", "P1", "Proxmox carries the next change out and its reply is lost", false},
      {"pve-quota", "P1", "Proxmox refuses to create machines: the quota is used up", true},
      {"pve-storage-full", "P1", "tasks find no room on the storage", true},
      {"pve-task-fails", "P1", "the next task of Proxmox (of the node's VM) fails", false},
      {"pve-locked", "P1", "a backup holds the lock of the VM", true},
      {"pve-no-image", "P1", "the Talos image is not on its storage", true},
      {"pve-token", "P3", "Proxmox does not accept the token any more", true},
      {"pve-no-privilege", "P6", "the token lacks VM.Allocate and SDN.Use", true},
      {"pve-no-rights", "P6", "the token has no rights of its own: lists are empty", true},
      {"pve-expired", "P7", "the certificate of Proxmox is expired", true},
      {"pve-no-boot", "P8", "VMs that are started boot nothing", true},
      {"clear", "", "ends all that last", false},
  };
  return kinds;
}

Result<std::vector<ScheduledFault>> read_fault_plan(const std::string& text,
                                                    const std::string& file_name) {
  const auto document = yaml::parse_single(text, file_name);
  if (!document) return fail(Errc::invalid, document.error().message());
  if (!document->root.is_sequence()) {
    return fail(Errc::invalid, file_name + ": a list of faults is expected");
  }
  std::vector<ScheduledFault> plan;
  for (const yaml::Node& item : document->root.items) {
    ScheduledFault fault;
    for (const yaml::Entry& entry : item.entries) {
      const std::string value(entry.value.as_text().value_or(""));
      bool valid = true;
      if (entry.key.text == "at") {
        valid = parse_duration(value, fault.at);
      } else if (entry.key.text == "for") {
        valid = parse_duration(value, fault.injection.lasts);
      } else if (entry.key.text == "call") {
        fault.injection.call = value;
      } else if (entry.key.text == "node") {
        fault.injection.node = NodeName(value);
      } else if (entry.key.text == "fault") {
        fault.injection.fault = value;
        valid = is_known(value);
      } else {
        return fail(Errc::invalid, document->where(entry.key) + ": unknown key " + entry.key.text);
      }
      if (!valid) {
        return fail(Errc::invalid,
                    document->where(entry.value) + ": " + entry.key.text + ": \"" + value + "\"");
      }
    }
    if (fault.injection.fault.empty()) {
      return fail(Errc::invalid, document->where(item) + ": the key fault is missing");
    }
    plan.push_back(std::move(fault));
  }
  return plan;
}

std::vector<ScheduledFault> draw_fault_plan(std::uint64_t seed,
                                            const std::vector<NodeName>& nodes) {
  using std::chrono::seconds;
  static constexpr const char* passing[] = {"refuse", "blackhole", "lost-reply",
                                            "slow",   "reset",     "crash",
                                            "freeze", "reboot",    "time-unsynced"};
  std::uint64_t state = sim::mix(seed);
  const auto draw = [&](std::uint64_t below) {
    state = sim::mix(state);
    return state % below;
  };
  std::vector<ScheduledFault> plan;
  if (nodes.empty()) return plan;
  const std::uint64_t count = 2 + draw(nodes.size() * 2 + 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    ScheduledFault fault;
    fault.at = seconds(20 + draw(240));
    fault.injection.node = nodes[draw(nodes.size())];
    fault.injection.fault = passing[draw(std::size(passing))];
    fault.injection.lasts = seconds(5 + draw(40));
    plan.push_back(std::move(fault));
  }
  return plan;
}

}  // namespace ichor::lab
