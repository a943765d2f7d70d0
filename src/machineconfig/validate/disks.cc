#include <fmt/format.h>
#include <set>

#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_encryption(const View& part, const char* label, Report& report) {
  if (!part) return;
  const View keys = part["keys"];
  if (keys.count() == 0) {
    report.error(part, fmt::format("the encryption of {} has no keys", label), "add `keys`");
  }
  std::set<std::int64_t> slots;
  for (const View& key : keys.items()) {
    const std::int64_t slot = key["slot"].number();
    if (!slots.insert(slot).second) {
      report.error(key, fmt::format("the key slot {} of {} is used twice", slot, label),
                   "give each key a slot of its own");
    }
    if (!key["static"] && !key["nodeID"] && !key["kms"] && !key["tpm"]) {
      report.error(key, fmt::format("the key in slot {} of {} says no kind", slot, label),
                   "add static, nodeID, kms or tpm");
    }
  }
}

}  // namespace

void check_disks(const Subject& subject, Report& report) {
  const View machine = subject.machine();
  for (const View& disk : machine["disks"].items()) {
    const std::vector<View> partitions = disk["partitions"].items();
    for (std::size_t i = 0; i + 1 < partitions.size(); ++i) {
      if (!partitions[i]["size"].empty()) continue;
      report.error(partitions[i], "a partition without a size takes the rest of the disk",
                   "make it the last one, or give it a size");
    }
  }
  check_encryption(machine["systemDiskEncryption"]["state"], "STATE", report);
  check_encryption(machine["systemDiskEncryption"]["ephemeral"], "EPHEMERAL", report);
}

}  // namespace ichor::validate
