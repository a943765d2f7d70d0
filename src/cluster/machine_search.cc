#include "cluster/machine_search.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <iterator>

#include "cluster/workspace.h"
#include "profile/write_profile.h"

namespace ichor {

namespace {

/// Disks that Talos cannot be installed to are smaller.
constexpr std::uint64_t kDiskMin = 4ull << 30;
constexpr std::string_view kPlaceholder = "CHANGE-ME-";

/// Whether the profile or the journal says enough to recognize the node's machine.
bool has_identity(const NodePlan& plan, const JournalFacts& facts) {
  return !plan.mac.value().empty() || !plan.uuid.value().empty() || !plan.serial.value().empty() ||
         facts.bound(plan.name);
}

/// The profile does not say where it is, and it has no config that moves it to its address.
bool is_nowhere(const NodePlan& plan, const JournalFacts& facts) {
  const bool told = plan.maintenance_address != plan.address;
  return !told && has_identity(plan, facts) && !facts.last(Call::apply_configuration, plan.name);
}

std::string size_text(std::uint64_t bytes) {
  const std::uint64_t gib = bytes >> 30;
  return gib > 0 ? fmt::format("{} GiB", gib) : fmt::format("{} MiB", bytes >> 20);
}

nlohmann::ordered_json disk_row(const Disk& disk) {
  nlohmann::ordered_json row;
  row["path"] = disk.dev_path;
  row["bytes"] = disk.size_bytes;
  row["model"] = disk.model;
  row["serial"] = disk.serial;
  row["transport"] = disk.transport;
  row["has_data"] = disk.has_volumes;
  row["text"] = fmt::format("{} {}{}", disk.dev_path, size_text(disk.size_bytes),
                            disk.has_volumes ? " with data" : "");
  return row;
}

void add_facts(const Sighting& sight, nlohmann::ordered_json& row) {
  if (sight.status) row["stage"] = name_of(sight.status->stage);
  if (sight.version) row["version"] = to_text(*sight.version);
  row["uuid"] = sight.identity ? sight.identity->uuid.value() : "";
  row["serial"] = sight.identity ? sight.identity->serial.value() : "";
  row["macs"] = nlohmann::ordered_json::array();
  if (sight.identity) {
    for (const MacAddress& mac : sight.identity->macs) row["macs"].push_back(mac.value());
    // In maintenance mode the boot id cannot be read; when the boot began can.
    row["boot_id"] = sight.identity->boot_id.value().empty() ? sight.identity->since
                                                             : sight.identity->boot_id.value();
  }
  for (const Link& link : sight.links) {
    row["links"].push_back(
        fmt::format("{} {} {}", link.name, link.mac.value(), link.up ? "up" : "down"));
  }
  if (sight.disks) {
    for (const Disk& disk : *sight.disks) {
      nlohmann::ordered_json one = disk_row(disk);
      row["disks"].push_back(one["text"]);
      one.erase("text");
      row["disk_list"].push_back(std::move(one));
    }
  }
  if (sight.hardware && sight.hardware->memory_bytes) {
    row["memory"] = size_text(*sight.hardware->memory_bytes);
    row["memory_bytes"] = *sight.hardware->memory_bytes;
  }
  if (sight.hardware && sight.hardware->secure_boot) {
    row["secure_boot"] = *sight.hardware->secure_boot;
  }
  if (!sight.schematic.empty()) row["schematic"] = sight.schematic;
}

Task<void> look_into(Finder& finder, Context context, const ClusterProfile& profile,
                     const JournalFacts& facts) {
  co_await finder.look(context, profile, facts);
}

std::string joined(const std::vector<NodeName>& names) {
  std::string text;
  for (const NodeName& name : names) text += (text.empty() ? "" : ", ") + name.value();
  return text;
}

/// Not T2: who looks at the node itself says so, also where no search was needed.
void keep_findings(const MachineMatch& match, Workspace& space) {
  std::copy_if(match.findings.begin(), match.findings.end(), std::back_inserter(space.findings),
               [](const Finding& finding) { return finding.id != "T2"; });
}

/// The first disk that Talos could be installed to.
std::string disk_for(const Sighting& sight) {
  if (!sight.disks) return {};
  for (const Disk& disk : *sight.disks) {
    if (!disk.read_only && !disk.cdrom && disk.size_bytes >= kDiskMin) return disk.dev_path;
  }
  return {};
}

NodePlan plan_for(const Sighting& sight, std::size_t number, bool control_plane) {
  NodePlan plan;
  plan.name = NodeName(fmt::format("{}{}", kPlaceholder, number));
  plan.role = control_plane ? Role::control_plane : Role::worker;
  plan.address = plan.maintenance_address = sight.address;
  if (sight.identity && !sight.identity->macs.empty()) plan.mac = sight.identity->macs.front();
  if (sight.identity && sight.identity->macs.empty()) plan.uuid = sight.identity->uuid;
  // The link that has a carrier is the one that answered.
  const auto up = std::find_if(sight.links.begin(), sight.links.end(),
                               [](const Link& link) { return link.up; });
  if (up != sight.links.end()) plan.mac = up->mac;
  plan.disk = disk_for(sight);
  return plan;
}

}  // namespace

std::unique_ptr<Finder> make_finder(const ClusterProfile& profile, const ScanOptions& options,
                                    ClusterApis& apis, const std::string& elsewhere) {
  Finder::Places places;
  std::string homes;
  for (const NodePlan& plan : profile.nodes) {
    for (const IpAddress& address : {plan.address, plan.maintenance_address}) {
      if (address.value().empty()) continue;
      homes += (homes.empty() ? "" : ",") + address.value();
    }
  }
  const bool asked = !options.addresses.empty();
  if (const auto first = AddressSet::parse(homes); first && !asked) places.first = *first;
  std::string wanted = asked ? options.addresses : profile.network.node_cidr;
  if (!asked && !elsewhere.empty()) wanted += "," + elsewhere;
  if (!asked && !homes.empty()) wanted += "," + homes;
  const auto all = AddressSet::parse(wanted);
  if (!all) return nullptr;
  places.all = *all;
  AddressScanOptions scan;
  if (options.rate) {
    scan.most = scan.peak = *options.rate;
    scan.within = std::chrono::seconds(1);
  }
  if (asked) scan.probe.depth = ProbeDepth::facts;
  return std::make_unique<Finder>(apis.scout(), std::move(places), std::move(scan),
                                  MatchOptions{options.match_by_order});
}

RunResult uncertain(const ClusterProfile& profile, const MachineMatch& match) {
  RunResult result;
  result.findings = match.findings;
  const bool unsafe = std::any_of(match.findings.begin(), match.findings.end(),
                                  [](const auto& one) { return one.severity == Severity::error; });
  result.exit = unsafe ? Exit::unsafe : Exit::failed;
  if (!match.ambiguous.empty()) {
    result.verdict = fmt::format("{}: it is not certain which machine is {}; nothing was changed",
                                 profile.name, joined(match.ambiguous));
  } else if (unsafe) {
    result.verdict = fmt::format("{}: {}", profile.name, match.findings.back().what);
  } else {
    result.verdict = fmt::format("{}: no machine fits {}", profile.name, joined(match.missing));
    for (const NodeName& node : match.missing) {
      result.findings.push_back(
          {Severity::error, "N1", node, "scan",
           fmt::format("no machine that was seen is {}", node.value()),
           "switch it on and boot it from the Talos image; `ichor discover --watch` waits for it. "
           "If it is in the table, correct mac, uuid or serial in the profile"});
    }
  }
  return result;
}

OrEnd<void> find_machines(const ClusterProfile& profile, Workspace& space, Host& host) {
  const bool wanted =
      std::any_of(profile.nodes.begin(), profile.nodes.end(),
                  [&](const NodePlan& plan) { return is_nowhere(plan, space.facts); });
  if (!space.finder || !wanted || space.finder->report()) return {};
  CancelScope scope;
  const Context context{&host.loop.clock(), &scope};
  const int signal =
      host.loop.drive(look_into(*space.finder, context, profile, space.facts), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  return judge_search(profile, space, host);
}

OrEnd<void> judge_search(const ClusterProfile& profile, Workspace& space, Host& host) {
  const MachineMatch match = space.finder->match(profile, space.facts);
  if (match.ambiguous.empty()) {
    keep_findings(match, space);
    return {};
  }
  host.terminal.display().show(machine_listing(space.finder->report()->seen, match));
  host.terminal.display().show(match_listing(match));
  return tl::unexpected(uncertain(profile, match));
}

Listing machine_listing(const std::vector<Sighting>& seen, const MachineMatch& match) {
  Listing listing;
  listing.type = "machine";
  listing.columns = {{"address", "ADDRESS"},
                     {"kind", "KIND"},
                     {"node", "NODE"},
                     {"proof", "BY", true},
                     {"stage", "STAGE", true},
                     {"version", "VERSION"},
                     {"macs", "MACS"},
                     {"uuid", "UUID"},
                     {"serial", "SERIAL", true},
                     {"links", "LINKS", true},
                     {"disks", "DISKS"},
                     {"memory", "MEMORY"},
                     {"secure_boot", "SECURE BOOT", true},
                     {"schematic", "SCHEMATIC", true},
                     {"fingerprint", "FINGERPRINT", true},
                     {"boot_id", "BOOT", true},
                     {"detail", "DETAIL"},
                     {"trouble", "TROUBLE", true}};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Sighting& sight = seen[i];
    nlohmann::ordered_json row;
    row["address"] = sight.address.value();
    row["kind"] = name_of(sight.kind);
    const NodeName* node = match.node_of(i);
    row["node"] = node ? node->value() : "";
    row["proof"] = node ? match.proof.at(*node) : "";
    add_facts(sight, row);
    row["fingerprint"] = sight.fingerprint.value();
    row["detail"] = sight.detail;
    if (sight.trouble) row["trouble"] = to_text(*sight.trouble);
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

Listing match_listing(const MachineMatch& match) {
  Listing listing;
  listing.type = "match";
  listing.columns = {{"node", "NODE"}, {"address", "MACHINE"}, {"fits", "FITS"}, {"why", "WHY"}};
  for (const MatchCell& cell : match.matrix) {
    nlohmann::ordered_json row;
    row["node"] = cell.node.value();
    row["address"] = cell.address.value();
    row["fits"] = cell.fits;
    row["why"] = cell.why;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

std::string profile_of(const std::vector<Sighting>& seen, const std::string& scanned) {
  ClusterProfile profile = starter_profile();
  profile.name = "mycluster";
  profile.nodes.clear();
  std::vector<const Sighting*> machines;
  for (const Sighting& sight : seen) {
    if (sight.kind == PeerKind::maintenance) machines.push_back(&sight);
  }
  const std::size_t control_planes = machines.size() < 3 ? 1 : 3;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    profile.nodes.push_back(plan_for(*machines[i], i + 1, i < control_planes));
  }
  const auto network = parse_cidr(scanned);
  if (network) profile.network.node_cidr = to_text(Cidr{first_of(*network), network->length});
  profile.network.gateway.clear();
  profile.network.vip.clear();
  profile.network.vip_interface.clear();
  if (!machines.empty()) {
    const std::string& first = machines.front()->address.value();
    const bool v6 = first.find(':') != std::string::npos;
    profile.network.api_endpoint = fmt::format("https://{}:6443", v6 ? "[" + first + "]" : first);
    if (machines.front()->version) {
      profile.talos.version = *machines.front()->version;
      profile.talos.contract = {profile.talos.version.major, profile.talos.version.minor, 0};
    }
  }
  return "# Made by `ichor discover --write` of the machines that answered in maintenance mode.\n"
         "# Give every node a name instead of CHANGE-ME-…, check ip, disk and which of them are "
         "control\n# planes, then run `ichor lint`.\n" +
         write_profile(profile);
}

}  // namespace ichor
