#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "machineconfig/go_scalar.h"
#include "machineconfig/rules.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

enum class Need { optional, required };
enum class Sizes { allowed, refused };

/// What a partition's label leaves for the name.
constexpr std::size_t kNameMax = 34;

void check_name(const View& document, std::size_t length_max, Report& report) {
  const View name = document["name"];
  const std::string& text = name.text();
  if (text.empty() || text.size() > length_max) {
    report.error(name, fmt::format("the name must have 1 to {} characters", length_max),
                 "choose another one");
  }
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!plain) {
    report.error(name, "the name must consist of letters, digits and hyphens",
                 "choose another one");
  }
}

bool has_provisioning(const View& provisioning) {
  return provisioning["grow"] || !provisioning["minSize"].empty() ||
         !provisioning["maxSize"].empty() || !provisioning["diskSelector"]["match"].empty();
}

void check_sizes(const View& provisioning, Need need, Report& report) {
  const View min = provisioning["minSize"];
  const View max = provisioning["maxSize"];
  if (min.text().starts_with('-')) {
    report.error(min, "minSize cannot be below zero", "write it as 10GiB");
  }
  if (min.empty() && max.empty()) {
    if (need == Need::required) {
      report.error(provisioning, "the volume has neither minSize nor maxSize", "add one of them");
    }
    return;
  }
  const bool relative = max.text().ends_with('%') || max.text().starts_with('-');
  if (min.empty() || max.empty() || relative) return;
  const std::size_t sign = min.text().starts_with('-') ? 1 : 0;
  const auto least = parse_byte_count(std::string_view(min.text()).substr(sign));
  const auto most = parse_byte_count(max.text());
  if (least && most && *least > *most) {
    report.error(min, "minSize is larger than maxSize", "swap them");
  }
}

void check_provisioning(const View& provisioning, Need need, Sizes sizes, Report& report) {
  const View match = provisioning["diskSelector"]["match"];
  if (!match.empty()) {
    report.expression(match, "diskSelector.match", cel::Place::disk_selector);
  } else if (need == Need::required) {
    report.error(provisioning, "diskSelector.match is missing",
                 "add an expression that selects the disk");
  }
  if (sizes == Sizes::allowed) {
    check_sizes(provisioning, need, report);
  } else if (!provisioning["minSize"].empty() || !provisioning["maxSize"].empty() ||
             provisioning["grow"]) {
    report.error(provisioning, "a whole disk takes no minSize, maxSize and grow", "remove them");
  }
}

bool has_encryption(const View& encryption) {
  return !encryption["provider"].empty() || encryption["keys"].count() > 0;
}

void check_encryption_key(const View& key, Report& report) {
  if (!key["static"] && !key["nodeID"] && !key["kms"] && !key["tpm"]) {
    report.error(key, fmt::format("the key in slot {} says no kind", key["slot"].number()),
                 "add static, nodeID, kms or tpm");
  }
  for (const View& pcr : key["tpm"]["options"]["pcrs"].items()) {
    if (pcr.number() >= 0 && pcr.number() <= 23) continue;
    report.error(pcr, "a PCR must be from 0 to 23", "choose another one");
  }
}

void check_encryption(const View& encryption, Report& report) {
  if (!has_encryption(encryption)) return;
  if (encryption["provider"].text() != "luks2") {
    report.error(encryption, "the encryption needs the provider luks2", "write `provider: luks2`");
  }
  if (encryption["keys"].count() == 0) {
    report.error(encryption, "the encryption has no keys", "add `keys`");
  }
  std::set<std::int64_t> slots;
  for (const View& key : encryption["keys"].items()) {
    if (!slots.insert(key["slot"].number()).second) {
      report.error(key, fmt::format("the key slot {} is used twice", key["slot"].number()),
                   "give each key a slot of its own");
    }
    check_encryption_key(key, report);
  }
}

void check_filesystem(const View& filesystem, Report& report) {
  const View type = filesystem["type"];
  const bool has_btrfs = rules_of(report.minor()).btrfs_volumes;
  const bool known = type.empty() || type.text() == "xfs" || type.text() == "ext4" ||
                     (type.text() == "btrfs" && has_btrfs);
  if (!known) {
    report.error(type, fmt::format("a volume cannot have the filesystem {}", type.text()),
                 has_btrfs ? "write xfs, ext4 or btrfs" : "write xfs or ext4");
  } else if (filesystem["xfs"] && !type.empty() && type.text() != "xfs") {
    report.error(filesystem["xfs"], "only xfs takes these options", "remove `xfs`");
  } else if (!type.empty() && type.text() != "xfs" && filesystem["projectQuotaSupport"].flag()) {
    report.error(filesystem["projectQuotaSupport"], "only xfs has project quotas",
                 "remove it, or write `type: xfs`");
  }
}

/// Trimming and scrubbing.
void check_upkeep(const View& document, Report& report) {
  require_positive(document["trim"]["interval"], "trim.interval", report);
  require_scrub_interval(document["scrub"]["interval"], report);
}

/// What the system volumes say about mounting, since some of them can have a partition.
void check_system_mount(const View& document, bool is_split, Report& report) {
  const std::string& name = document["name"].text();
  const View mount = document["mount"];
  const bool fixed = name == "STATE" || name == "IMAGECACHE";
  if (mount.count() > 0 && fixed) {
    report.error(mount, fmt::format("{} takes no mount options", name), "remove `mount`");
  }
  if (name == "IMAGECACHE" && document["filesystem"]["xfs"]) {
    report.error(document["filesystem"], "IMAGECACHE takes no filesystem options",
                 "remove `filesystem`");
  }
  if (is_split && mount.count() > 0 && !has_provisioning(document["provisioning"])) {
    report.error(mount, fmt::format("{} has mount options but no partition of its own", name),
                 "add `provisioning`, or remove `mount`");
  }
}

void check_system_volume(const View& document, Report& report) {
  const View name = document["name"];
  const bool is_old =
      name.text() == "STATE" || name.text() == "EPHEMERAL" || name.text() == "IMAGECACHE";
  const bool is_split = name.text() == "ETCD" || name.text() == "CRI" || name.text() == "KUBELET" ||
                        name.text() == "LOG";
  const bool splits = rules_of(report.minor()).splits_ephemeral;
  if (!is_old && !(is_split && splits)) {
    report.error(name, fmt::format("there is no system volume `{}`", name.text()),
                 splits ? "write STATE, EPHEMERAL, IMAGECACHE, ETCD, CRI, KUBELET or LOG, or use "
                          "UserVolumeConfig"
                        : "write STATE, EPHEMERAL or IMAGECACHE, or use UserVolumeConfig");
    return;
  }
  const View provisioning = document["provisioning"];
  if (splits) check_system_mount(document, is_split, report);
  if (name.text() == "STATE") {
    if (has_provisioning(provisioning)) {
      report.error(provisioning, "STATE cannot be provisioned", "remove `provisioning`");
    }
    for (const View& key : document["encryption"]["keys"].items()) {
      if (!key["lockToState"].flag()) continue;
      report.error(key["lockToState"], "a key of STATE cannot be locked to STATE", "remove it");
    }
  }
  check_provisioning(provisioning, Need::optional, Sizes::allowed, report);
  check_encryption(document["encryption"], report);
  check_upkeep(document, report);
}

void check_raw_volume(const View& document, Report& report) {
  check_name(document, kNameMax, report);
  check_provisioning(document["provisioning"], Need::required, Sizes::allowed, report);
  check_encryption(document["encryption"], report);
}

void check_directory(const View& document, Report& report) {
  const View mount = document["mount"];
  const View filesystem = document["filesystem"];
  const std::pair<const char*, bool> parts[] = {
      {"provisioning", has_provisioning(document["provisioning"])},
      {"encryption", has_encryption(document["encryption"])},
      {"filesystem",
       !filesystem["type"].empty() || filesystem["projectQuotaSupport"] || filesystem["xfs"]},
      {"mount", mount["disableAccessTime"] ||
                    (mount["secure"] && !rules_of(report.minor()).secures_directories)},
  };
  for (const auto& [key, used] : parts) {
    if (!used) continue;
    report.error(document[key], fmt::format("a directory takes no {}", key),
                 fmt::format("remove `{}`", key));
  }
}

void check_user_volume(const View& document, Report& report) {
  check_name(document, kNameMax, report);
  const View type = document["volumeType"];
  if (type.text() == "directory") {
    check_directory(document, report);
  } else if (!type || type.text() == "partition" || type.text() == "disk") {
    const Sizes sizes = type.text() == "disk" ? Sizes::refused : Sizes::allowed;
    check_provisioning(document["provisioning"], Need::required, sizes, report);
    check_filesystem(document["filesystem"], report);
    check_encryption(document["encryption"], report);
  } else {
    report.error(type, fmt::format("a user volume cannot be of type {}", type.text()),
                 "write partition, disk or directory");
  }
  check_upkeep(document, report);
}

void check_existing_volume(const View& document, Report& report) {
  check_name(document, std::string::npos - 1, report);
  const View match = document["discovery"]["volumeSelector"]["match"];
  if (match.empty()) {
    report.error(document, "discovery.volumeSelector.match is missing",
                 "add an expression that selects the volume");
  } else {
    report.expression(match, "volumeSelector.match", cel::Place::volume_selector);
  }
  check_upkeep(document, report);
}

void check_external_volume(const View& document, Report& report) {
  check_name(document, kNameMax, report);
  const View type = document["filesystemType"];
  if (type.text() != "virtiofs") {
    report.error(type, "an external volume needs the filesystem virtiofs",
                 "write `filesystemType: virtiofs`");
  } else if (document["mount"]["virtiofs"]["tag"].empty()) {
    report.error(document, "mount.virtiofs.tag is missing", "add it");
  }
}

void check_zswap(const View& document, Report& report) {
  const View percent = document["maxPoolPercent"];
  if (percent.number() < 0 || percent.number() > 100) {
    report.error(percent, "maxPoolPercent must be from 0 to 100", "write `maxPoolPercent: 20`");
  }
}

}  // namespace

std::span<const DocumentRule> volume_document_rules() {
  static constexpr DocumentRule list[] = {
      {"ExistingVolumeConfig", check_existing_volume},
      {"ExternalVolumeConfig", check_external_volume},
      {"RawVolumeConfig", check_raw_volume},
      {"SwapVolumeConfig", check_raw_volume},
      {"UserVolumeConfig", check_user_volume},
      {"VolumeConfig", check_system_volume},
      {"ZswapConfig", check_zswap},
  };
  return list;
}

}  // namespace ichor::validate
