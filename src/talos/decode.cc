#include "talos/decode.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "base/clean_text.h"

namespace ichor {

namespace {

constexpr std::size_t kNameBytesMax = 256;
/// Lines that a person would still read.
constexpr int kTextsMax = 50;

std::string name(std::string_view hostile) { return clean_text(hostile, kNameBytesMax); }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

/// Six bytes that are not all zero, as text; empty for anything else.
std::string mac_text(std::string_view bytes) {
  const bool is_mac = bytes.size() == 6 && bytes.find_first_not_of('\0') != bytes.npos;
  if (!is_mac) return {};
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : ":", static_cast<unsigned char>(byte));
  }
  return text;
}

/// The burnt-in address if the driver tells it: a port of a bond wears the bond's address.
MacAddress mac_of(const spec::LinkStatus& link) {
  const std::string permanent = mac_text(link.permanent_addr());
  return MacAddress(permanent.empty() ? mac_text(link.hardware_addr()) : permanent);
}

bool is_physical(const Named<spec::LinkStatus>& link) {
  return link.spec.type() == spec::LINK_ETHER && link.spec.kind().empty();
}

bool is_container_port(const Named<spec::LinkStatus>& link) {
  return link.spec.type() == spec::LINK_ETHER && link.spec.kind() == "veth" &&
         link.id.starts_with("eth");
}

std::set<MacAddress> macs_of(const std::vector<Named<spec::LinkStatus>>& links,
                             bool (*counts)(const Named<spec::LinkStatus>&)) {
  std::set<MacAddress> macs;
  for (const auto& link : links) {
    const MacAddress mac = mac_of(link.spec);
    if (counts(link) && !mac.value().empty()) macs.insert(mac);
  }
  return macs;
}

Disk disk_from(const std::string& id, const spec::Disk& spec) {
  Disk disk;
  disk.id = name(id);
  disk.dev_path = name(spec.dev_path());
  disk.size_bytes = spec.size();
  disk.model = name(spec.model());
  disk.serial = name(spec.serial());
  disk.wwid = name(spec.wwid());
  disk.uuid = name(spec.uuid());
  disk.modalias = name(spec.modalias());
  disk.bus_path = name(spec.bus_path());
  disk.transport = name(spec.transport());
  disk.rotational = spec.rotational();
  disk.read_only = spec.readonly();
  disk.cdrom = spec.cdrom();
  append_texts(disk.links, spec.symlinks());
  return disk;
}

bool lies_on(const Named<spec::DiscoveredVolume>& volume, const Disk& disk) {
  const bool is_partition_of_it =
      volume.spec.parent() == disk.id ||
      (!disk.dev_path.empty() && volume.spec.parent_dev_path() == disk.dev_path);
  const bool was_found_on_it = volume.id == disk.id && !volume.spec.name().empty();
  return is_partition_of_it || was_found_on_it;
}

}  // namespace

void append_texts(std::vector<std::string>& texts,
                  const google::protobuf::RepeatedPtrField<std::string>& hostile) {
  for (int i = 0; i < std::min(hostile.size(), kTextsMax); ++i) {
    texts.push_back(clean_text(hostile[i]));
  }
  if (hostile.size() > kTextsMax) {
    texts.push_back(fmt::format("and {} more", hostile.size() - kTextsMax));
  }
}

MachineStatus machine_status_from(const spec::MachineStatus& spec) {
  MachineStatus status;
  const bool known = spec::MachineStage_IsValid(spec.stage());
  status.stage = known ? static_cast<Stage>(spec.stage()) : Stage::unknown;
  status.ready = spec.status().ready();
  const auto& unmet = spec.status().unmet_conditions();
  for (int i = 0; i < std::min(unmet.size(), kTextsMax); ++i) {
    status.unmet.push_back({name(unmet[i].name()), clean_text(unmet[i].reason())});
  }
  if (unmet.size() > kTextsMax) {
    status.unmet.push_back({"more", fmt::format("{} conditions", unmet.size() - kTextsMax)});
  }
  return status;
}

std::optional<UnattendedInstall> install_from(const spec::UnattendedInstallStatus& spec) {
  if (spec.phase() == spec::UNATTENDED_INSTALL_INSTALLED) return std::nullopt;
  UnattendedInstall install;
  // A phase that is not known is none of those in which the node may be called installed.
  if (spec::UnattendedInstallPhase_IsValid(spec.phase())) {
    install.phase = static_cast<UnattendedInstall::Phase>(spec.phase());
  }
  install.error = clean_text(spec.error());
  return install;
}

std::optional<TalosVersion> version_from(std::string_view tag) {
  if (!tag.starts_with('v')) return std::nullopt;
  tag.remove_prefix(1);
  TalosVersion version;
  for (int* part : {&version.major, &version.minor, &version.patch}) {
    const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), *part);
    if (error != std::errc() || *part < 0) return std::nullopt;
    tag.remove_prefix(static_cast<std::size_t>(end - tag.data()));
    if (part == &version.patch) break;
    if (!tag.starts_with('.')) return std::nullopt;
    tag.remove_prefix(1);
  }
  const bool ends = tag.empty() || tag.starts_with('-') || tag.starts_with('+');
  return ends ? std::optional(version) : std::nullopt;
}

std::vector<MacAddress> macs_from(const std::vector<Named<spec::LinkStatus>>& links) {
  std::set<MacAddress> macs = macs_of(links, is_physical);
  if (macs.empty()) macs = macs_of(links, is_container_port);
  return {macs.begin(), macs.end()};
}

std::vector<Link> links_from(const std::vector<Named<spec::LinkStatus>>& links) {
  const bool container = macs_of(links, is_physical).empty();
  std::vector<Link> found;
  for (const auto& link : links) {
    const bool counts = container ? is_container_port(link) : is_physical(link);
    MacAddress mac = mac_of(link.spec);
    if (counts && !mac.value().empty()) {
      found.push_back({name(link.id), std::move(mac), link.spec.link_state()});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Link& a, const Link& b) { return a.name < b.name; });
  return found;
}

std::string since_from(const cosi::resource::Metadata& metadata) {
  if (!metadata.has_created()) return {};
  return fmt::format("{}.{:09}", metadata.created().seconds(), metadata.created().nanos());
}

Identity identity_from(const spec::SystemInformation& spec) {
  Identity identity;
  identity.uuid = MachineUuid(lower(name(spec.uuid())));
  identity.serial = SerialNumber(name(spec.serial_number()));
  return identity;
}

std::vector<Disk> disks_from(const std::vector<Named<spec::Disk>>& disks,
                             const std::vector<Named<spec::DiscoveredVolume>>& volumes,
                             const std::optional<spec::SystemDisk>& system_disk) {
  std::vector<Disk> found;
  for (const auto& [id, spec] : disks) {
    Disk disk = disk_from(id, spec);
    disk.has_volumes = std::any_of(volumes.begin(), volumes.end(),
                                   [&](const auto& volume) { return lies_on(volume, disk); });
    disk.etcd_volume = std::any_of(volumes.begin(), volumes.end(), [&](const auto& volume) {
      return lies_on(volume, disk) && volume.spec.partition_label() == "ETCD";
    });
    disk.system_disk = system_disk && system_disk->disk_id() == id;
    found.push_back(std::move(disk));
  }
  std::sort(found.begin(), found.end(), [](const Disk& a, const Disk& b) { return a.id < b.id; });
  return found;
}

ServiceStatus service_from(const machine::ServiceInfo& info) {
  ServiceStatus status;
  status.id = name(info.id());
  status.state = name(info.state());
  status.healthy = info.health().healthy();
  status.health_unknown = !info.has_health() || info.health().unknown();
  // A failing check says more than the last step of the service's life; otherwise that step says
  // what it waits for.
  const bool sick = !status.health_unknown && !status.healthy;
  const auto& events = info.events().events();
  if (sick && !info.health().last_message().empty()) {
    status.last_message = clean_text(info.health().last_message());
  } else if (!events.empty()) {
    status.last_message = clean_text(events.rbegin()->msg());
  }
  return status;
}

EtcdMember etcd_member_from(const machine::EtcdMember& member) {
  return {EtcdMemberId(member.id()), name(member.hostname()), member.is_learner()};
}

EtcdStatus etcd_status_from(const machine::EtcdMemberStatus& status) {
  EtcdStatus etcd;
  etcd.member = EtcdMemberId(status.member_id());
  etcd.leader = EtcdMemberId(status.leader());
  etcd.raft_index = status.raft_index();
  etcd.raft_applied_index = status.raft_applied_index();
  etcd.is_learner = status.is_learner();
  append_texts(etcd.errors, status.errors());
  etcd.raft_term = status.raft_term();
  etcd.db_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(status.db_size(), 0));
  etcd.db_bytes_in_use =
      static_cast<std::uint64_t>(std::max<std::int64_t>(status.db_size_in_use(), 0));
  etcd.version = clean_text(status.protocol_version(), 64);
  etcd.storage_version = clean_text(status.storage_version(), 64);
  return etcd;
}

std::optional<EtcdAlarm> etcd_alarm_from(const machine::EtcdMemberAlarm& alarm) {
  const EtcdMemberId member(alarm.member_id());
  switch (alarm.alarm()) {
    case machine::EtcdMemberAlarm::NOSPACE: return EtcdAlarm{member, EtcdAlarmKind::no_space};
    case machine::EtcdMemberAlarm::CORRUPT: return EtcdAlarm{member, EtcdAlarmKind::corrupt};
    default: return std::nullopt;
  }
}

}  // namespace ichor
