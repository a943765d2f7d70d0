#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/go_scalar.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_name(const View& document, std::size_t length_max, Report& report) {
  const View name = document["name"];
  const std::string& text = name.text();
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  if (!plain || text.empty() || text.size() > length_max) {
    report.error(name,
                 fmt::format("the name must have 1 to {} letters, digits, hyphens and underscores",
                             length_max),
                 "choose another one");
  }
}

void check_members(const View& document, Report& report) {
  const View match = document["provisioning"]["volumeSelector"]["match"];
  if (match.empty()) {
    report.error(document, "provisioning.volumeSelector.match is missing",
                 "add an expression that selects the volumes");
  } else {
    report.expression(match, "volumeSelector.match", cel::Place::member_selector);
  }
}

void check_volume_group(const View& document, Report& report) {
  check_name(document, 63, report);
  check_members(document, report);
}

void check_raid_array(const View& document, Report& report) {
  check_name(document, 32, report);
  check_members(document, report);
}

/// A number that only some types of logical volumes have.
void check_copies(const View& document, const char* key, bool used, std::int64_t least,
                  Report& report) {
  const View value = document[key];
  if (!value) return;
  if (!used) {
    report.error(value, fmt::format("this type of volume has no {}", key), "remove it");
  } else if (value.number() < least) {
    report.error(value, fmt::format("{} must be at least {}", key, least), "raise it");
  }
}

void check_logical_volume(const View& document, Report& report) {
  check_name(document, 63, report);
  const std::string& type = document["type"].text();
  check_copies(document, "mirrors", type == "raid1" || type == "raid10", 1, report);
  check_copies(document, "stripes", type == "raid0" || type == "raid10", 2, report);
  const View provisioning = document["provisioning"];
  if (provisioning["volumeGroup"].empty()) {
    report.error(document, "provisioning.volumeGroup is missing", "add it");
  }
  const View max = provisioning["maxSize"];
  const View min = provisioning["minSize"];
  if (max.empty()) {
    report.error(document, "provisioning.maxSize is missing", "add it");
  } else if (max.text().starts_with('-')) {
    report.error(max, "maxSize cannot be below zero", "write it as 10GiB or 50%");
  }
  const auto size_of = [](std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return parse_byte_count(text).value_or(0);
  };
  if (!min.empty() && !max.text().ends_with('%') && size_of(min.text()) > size_of(max.text())) {
    report.error(min, "minSize is larger than maxSize", "swap them");
  }
}

}  // namespace

std::span<const DocumentRule> storage_document_rules() {
  static constexpr DocumentRule list[] = {
      {"LVMLogicalVolumeConfig", check_logical_volume},
      {"LVMVolumeGroupConfig", check_volume_group},
      {"RAIDArrayConfig", check_raid_array},
  };
  return list;
}

}  // namespace ichor::validate
