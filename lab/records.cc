#include "lab/records.h"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "secrets/base64.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

/// 64-bit numbers as text: JSON readers keep 53 bits only.
std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

std::uint64_t from_hex(const json& value) {
  const std::string& text = value.get_ref<const std::string&>();
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

json disk_value(const Disk& disk) {
  return {{"id", disk.id},
          {"dev_path", disk.dev_path},
          {"links", disk.links},
          {"size", disk.size_bytes},
          {"model", disk.model},
          {"serial", disk.serial},
          {"wwid", disk.wwid},
          {"uuid", disk.uuid},
          {"modalias", disk.modalias},
          {"bus_path", disk.bus_path},
          {"transport", disk.transport},
          {"rotational", disk.rotational},
          {"read_only", disk.read_only},
          {"cdrom", disk.cdrom},
          {"has_volumes", disk.has_volumes}};
}

Disk disk_from(const json& value) {
  Disk disk;
  disk.id = value.at("id");
  disk.dev_path = value.at("dev_path");
  disk.links = value.value("links", disk.links);
  disk.size_bytes = value.at("size");
  disk.model = value.at("model");
  disk.serial = value.at("serial");
  disk.wwid = value.at("wwid");
  disk.uuid = value.at("uuid");
  disk.modalias = value.at("modalias");
  disk.bus_path = value.at("bus_path");
  disk.transport = value.at("transport");
  disk.rotational = value.at("rotational");
  disk.read_only = value.at("read_only");
  disk.cdrom = value.at("cdrom");
  disk.has_volumes = value.at("has_volumes");
  return disk;
}

json spec_value(const sim::NodeSpec& spec) {
  json disks = json::array();
  for (const Disk& disk : spec.disks) disks.push_back(disk_value(disk));
  json macs = json::array();
  for (const MacAddress& mac : spec.hardware.macs) macs.push_back(mac.value());
  return {{"name", spec.name.value()},
          {"uuid", spec.hardware.uuid.value()},
          {"serial", spec.hardware.serial.value()},
          {"macs", std::move(macs)},
          {"dhcp_address", spec.dhcp_address.value()},
          {"disks", std::move(disks)},
          {"memory", spec.memory_bytes},
          {"talos", sim::release_of(spec.personality).name},
          {"container", spec.platform == sim::Platform::container}};
}

sim::NodeSpec spec_from(const json& value) {
  sim::NodeSpec spec;
  spec.name = NodeName(value.at("name"));
  spec.hardware.uuid = MachineUuid(value.at("uuid"));
  spec.hardware.serial = SerialNumber(value.at("serial"));
  for (const json& mac : value.at("macs")) spec.hardware.macs.push_back(MacAddress(mac));
  spec.dhcp_address = IpAddress(value.at("dhcp_address"));
  for (const json& disk : value.at("disks")) spec.disks.push_back(disk_from(disk));
  spec.memory_bytes = value.at("memory");
  for (const auto known : {sim::Personality::v1_13, sim::Personality::v1_14}) {
    if (value.at("talos") == sim::release_of(known).name) spec.personality = known;
  }
  if (value.at("container")) {
    spec.platform = sim::Platform::container;
    spec.durations = sim::container_durations();
  }
  return spec;
}

json slot_value(const std::optional<sim::BootSlot>& slot) {
  if (!slot) return nullptr;
  return {{"version", {slot->version.major, slot->version.minor, slot->version.patch}},
          {"schematic", slot->schematic},
          {"boots", slot->boots}};
}

std::optional<sim::BootSlot> slot_from(const json& value) {
  if (value.is_null()) return std::nullopt;
  sim::BootSlot slot;
  const json& version = value.at("version");
  slot.version = {version.at(0), version.at(1), version.at(2)};
  slot.schematic = value.at("schematic");
  slot.boots = value.at("boots");
  return slot;
}

json disk_state_value(const sim::NodeDisk& disk) {
  json value = {{"installed", disk.installed},
                {"install_disk", disk.install_disk},
                {"config", disk.config},
                {"staged_config", disk.staged_config},
                {"etcd_member", hex(disk.etcd_member.value())},
                {"recovery_snapshot", pki::base64(disk.recovery_snapshot)},
                {"etcd_volume", disk.etcd_volume},
                {"kubelet_registered", disk.kubelet_registered},
                {"blank_disks", disk.blank_disks},
                {"wiped_disks", disk.wiped_disks}};
  if (disk.etcd_cluster) value["etcd_cluster"] = hex(*disk.etcd_cluster);
  value["slots"] = {{"booted", slot_value(disk.booted)},
                    {"other", slot_value(disk.other)},
                    {"has_other", disk.has_other},
                    {"boots_other", disk.boots_other},
                    {"mark", disk.upgrade_mark}};
  return value;
}

sim::NodeDisk disk_state_from(const json& value) {
  sim::NodeDisk disk;
  disk.installed = value.at("installed");
  disk.install_disk = value.at("install_disk");
  disk.config = value.at("config");
  disk.staged_config = value.at("staged_config");
  disk.etcd_member = EtcdMemberId(from_hex(value.at("etcd_member")));
  disk.recovery_snapshot = pki::from_base64(value.value("recovery_snapshot", "")).value_or("");
  disk.etcd_volume = value.value("etcd_volume", false);  // absent in folders of older labs
  disk.kubelet_registered = value.at("kubelet_registered");
  disk.blank_disks = value.at("blank_disks").get<std::vector<std::string>>();
  disk.wiped_disks = value.at("wiped_disks").get<std::vector<std::string>>();
  if (value.contains("etcd_cluster")) disk.etcd_cluster = from_hex(value.at("etcd_cluster"));
  // A lab of an ichor that had no upgrades has none.
  if (!value.contains("slots")) return disk;
  const json& slots = value.at("slots");
  disk.booted = slot_from(slots.at("booted"));
  disk.other = slot_from(slots.at("other"));
  disk.has_other = slots.at("has_other");
  disk.boots_other = slots.at("boots_other");
  disk.upgrade_mark = slots.at("mark");
  return disk;
}

json cluster_value(const sim::EtcdCluster& cluster) {
  json members = json::array();
  for (const sim::EtcdCluster::Member& member : cluster.members) {
    members.push_back({{"id", hex(member.id.value())},
                       {"name", member.name.value()},
                       {"learner", member.learner},
                       {"db_bytes", member.db_bytes}});
  }
  json alarms = json::array();
  for (const EtcdAlarm& alarm : cluster.alarms) {
    alarms.push_back(
        {{"member", hex(alarm.member.value())}, {"corrupt", alarm.kind == EtcdAlarmKind::corrupt}});
  }
  return {{"id", hex(cluster.id)},
          {"secrets", to_hex(cluster.secrets)},
          {"members", std::move(members)},
          {"raft_index", hex(cluster.raft_index)},
          {"alarms", std::move(alarms)},
          {"revision", hex(cluster.revision)},
          {"restored_revision", hex(cluster.restored_revision)}};
}

sim::EtcdCluster cluster_from(const json& value) {
  sim::EtcdCluster cluster;
  cluster.id = from_hex(value.at("id"));
  cluster.secrets = digest_from_hex(value.at("secrets").get<std::string>());
  for (const json& member : value.at("members")) {
    cluster.members.push_back({EtcdMemberId(from_hex(member.at("id"))), NodeName(member.at("name")),
                               member.at("learner").get<bool>(), false,
                               member.value("db_bytes", sim::kEtcdBytes)});
  }
  cluster.raft_index = from_hex(value.at("raft_index"));
  for (const json& alarm : value.at("alarms")) {
    cluster.alarms.push_back(
        {EtcdMemberId(from_hex(alarm.at("member"))),
         alarm.at("corrupt").get<bool>() ? EtcdAlarmKind::corrupt : EtcdAlarmKind::no_space});
  }
  cluster.revision = from_hex(value.at("revision"));
  if (const auto restored = value.find("restored_revision"); restored != value.end()) {
    cluster.restored_revision = from_hex(*restored);
  }
  return cluster;
}

/// nlohmann's library tells by exceptions what does not fit.
template <class T, class Read>
Result<T> guarded(const std::string& text, Read read) {
  try {
    return read(json::parse(text));
  } catch (const json::exception&) {
    return fail(Errc::invalid, "not a record of a lab");
  }
}

}  // namespace

std::string to_json(const MachineRecord& record) {
  const json value = {{"spec", spec_value(record.spec)},
                      {"link", record.link},
                      {"disk", disk_state_value(record.disk)},
                      {"powered", record.powered}};
  return value.dump(1) + "\n";
}

Result<MachineRecord> machine_from_json(const std::string& text) {
  return guarded<MachineRecord>(text, [](const json& value) {
    MachineRecord record;
    record.spec = spec_from(value.at("spec"));
    record.link = value.at("link");
    record.disk = disk_state_from(value.at("disk"));
    record.powered = value.at("powered");
    return record;
  });
}

std::string to_json(const std::vector<const sim::EtcdCluster*>& clusters) {
  json value = json::array();
  for (const sim::EtcdCluster* cluster : clusters) value.push_back(cluster_value(*cluster));
  return value.dump(1) + "\n";
}

Result<std::vector<sim::EtcdCluster>> clusters_from_json(const std::string& text) {
  return guarded<std::vector<sim::EtcdCluster>>(text, [](const json& value) {
    std::vector<sim::EtcdCluster> clusters;
    for (const json& cluster : value) clusters.push_back(cluster_from(cluster));
    return clusters;
  });
}

}  // namespace ichor::lab
