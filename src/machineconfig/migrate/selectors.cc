#include "machineconfig/migrate/selectors.h"

#include <fmt/format.h>
#include <vector>

#include "machineconfig/disk_expression.h"

namespace ichor::migrate {

namespace {

std::string text_of(const yaml::Node& node, std::string_view key) {
  const yaml::Node* value = node.find(key);
  return value ? value->text : "";
}

}  // namespace

std::string link_match(const yaml::Node& selector) {
  std::vector<std::string> parts;
  const auto address = [&](std::string_view key, std::string_view field) {
    const std::string pattern = text_of(selector, key);
    if (pattern.empty()) return;
    const bool glob = pattern.find_first_of("*?[") != std::string::npos;
    parts.push_back(glob ? fmt::format("glob(\"{}\", mac(link.{}))", pattern, field)
                         : fmt::format("mac(link.{}) == \"{}\"", field, pattern));
  };
  const auto match = [&](std::string_view key, std::string_view field) {
    const std::string pattern = text_of(selector, key);
    if (!pattern.empty()) parts.push_back(fmt::format("glob(\"{}\", link.{})", pattern, field));
  };
  address("permanentAddr", "permanent_addr");
  address("hardwareAddr", "hardware_addr");
  match("busPath", "bus_path");
  match("pciID", "pciid");
  match("driver", "driver");
  return fmt::format("{}", fmt::join(parts, " && "));
}

std::string disk_match(const yaml::Node& install) {
  const yaml::Node* old = install.find("diskSelector");
  if (old == nullptr || old->entries.empty()) {
    const std::string disk = text_of(install, "disk");
    return disk.empty() ? "" : disk_expression(disk);
  }
  DiskSelector selector;
  selector.size = text_of(*old, "size");
  selector.model = text_of(*old, "model");
  selector.serial = text_of(*old, "serial");
  selector.modalias = text_of(*old, "modalias");
  selector.uuid = text_of(*old, "uuid");
  selector.wwid = text_of(*old, "wwid");
  selector.type = text_of(*old, "type");
  selector.bus_path = text_of(*old, "busPath");
  return disk_expression(selector);
}

}  // namespace ichor::migrate
