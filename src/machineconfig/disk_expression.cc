#include "machineconfig/disk_expression.h"

#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/go_scalar.h"

namespace ichor {

namespace {

/// A literal of CEL, and of Go.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// ">= 100GB" as a comparison; without a sign it must be equal.
std::string size_expression(std::string_view condition) {
  std::string_view op = "==";
  for (const std::string_view known : {">=", "<=", "==", ">", "<"}) {
    if (!condition.starts_with(known)) continue;
    op = known;
    condition.remove_prefix(known.size());
    break;
  }
  condition.remove_prefix(std::min(condition.find_first_not_of(" \t"), condition.size()));
  return fmt::format("disk.size {} {}u", op, parse_byte_count(condition).value_or(0));
}

}  // namespace

std::string disk_expression(const std::string& device) {
  return "disk.dev_path == " + quoted(device);
}

std::string disk_expression(const DiskSelector& selector) {
  std::string all;
  const auto add = [&](std::string_view part) {
    if (!all.empty()) all += " && ";
    all += part;
  };
  const auto match = [&](const std::string& pattern, const char* field) {
    if (!pattern.empty()) add("glob(" + quoted(pattern) + ", disk." + field + ")");
  };
  if (!selector.size.empty()) add(size_expression(selector.size));
  match(selector.uuid, "uuid");
  match(selector.wwid, "wwid");
  match(selector.model, "model");
  match(selector.serial, "serial");
  match(selector.modalias, "modalias");
  add("disk.transport != \"\"");
  if (selector.type == "nvme") add("disk.transport == \"nvme\"");
  if (selector.type == "sd") add("disk.transport == \"mmc\"");
  if (selector.type == "hdd") add("disk.rotational");
  if (selector.type == "ssd") add("!disk.rotational");
  match(selector.bus_path, "bus_path");
  add("!disk.readonly");
  add("!disk.cdrom");
  return all;
}

}  // namespace ichor
