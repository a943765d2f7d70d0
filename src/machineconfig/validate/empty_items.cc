#include <array>
#include <fmt/format.h>

#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

/// Keys from the root; "*" stands for every item of a list.
using Path = std::array<const char*, 7>;

constexpr Path kPaths[] = {
    {"machine", "network", "interfaces"},
    {"machine", "network", "interfaces", "*", "vlans"},
    {"machine", "network", "interfaces", "*", "routes"},
    {"machine", "network", "interfaces", "*", "wireguard", "peers"},
    {"machine", "disks"},
    {"machine", "disks", "*", "partitions"},
    {"machine", "systemDiskEncryption", "state", "keys"},
    {"machine", "systemDiskEncryption", "ephemeral", "keys"},
    {"cluster", "apiServer", "authorizationConfig"},
};

void walk(const yaml::Node& node, const Path& path, std::size_t depth, Report& report) {
  const char* const key = depth < path.size() ? path[depth] : nullptr;
  if (key == nullptr) {
    for (const yaml::Node& item : node.items) {
      if (!item.is_null()) continue;
      report.error(View(&item, node.at), fmt::format("an item of {} is empty", path[depth - 1]),
                   "remove it or fill it");
    }
  } else if (std::string_view(key) == "*") {
    for (const yaml::Node& item : node.items) walk(item, path, depth + 1, report);
  } else if (const yaml::Node* next = node.find(key)) {
    walk(*next, path, depth + 1, report);
  }
}

}  // namespace

void check_empty_items(const yaml::Node& v1alpha1, Report& report) {
  for (const Path& path : kPaths) walk(v1alpha1, path, 0, report);
}

}  // namespace ichor::validate
