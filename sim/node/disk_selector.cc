#include "sim/node/disk_selector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "phase/install_disk.h"

namespace ichor::sim {

namespace {

constexpr std::size_t kWrapColumn = 80;

std::string field(const yaml::Node& selector, std::string_view key) {
  const yaml::Node* node = selector.find(key);
  return node == nullptr ? std::string() : std::string(node->as_text().value_or(""));
}

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 25> kUnits = {{
    {"", 1},         {"b", 1},        {"k", 1e3},      {"kb", 1e3},     {"ki", 0x1p10},
    {"kib", 0x1p10}, {"m", 1e6},      {"mb", 1e6},     {"mi", 0x1p20},  {"mib", 0x1p20},
    {"g", 1e9},      {"gb", 1e9},     {"gi", 0x1p30},  {"gib", 0x1p30}, {"t", 1e12},
    {"tb", 1e12},    {"ti", 0x1p40},  {"tib", 0x1p40}, {"p", 1e15},     {"pb", 1e15},
    {"pi", 0x1p50},  {"pib", 0x1p50}, {"e", 1e18},     {"eb", 1e18},    {"eib", 0x1p60},
}};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "100GB", "1.5 TiB", "4096".
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  std::string unit(trim(text.substr(static_cast<std::size_t>(end - text.data()))));
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const auto found = std::find_if(kUnits.begin(), kUnits.end(),
                                  [&](const Unit& known) { return known.name == unit; });
  if (found == kUnits.end()) return std::nullopt;
  return static_cast<std::uint64_t>(number * found->bytes);
}

}  // namespace

tl::expected<DiskSelector, std::string> DiskSelector::read(const yaml::Node& node) {
  DiskSelector selector;
  if (const std::string size = field(node, "size"); !size.empty()) {
    if (auto error = selector.take_size(trim(size))) return tl::unexpected(*error);
  }
  selector.uuid_ = field(node, "uuid");
  selector.wwid_ = field(node, "wwid");
  selector.model_ = field(node, "model");
  if (!field(node, "name").empty()) {
    return tl::unexpected(std::string("selector on name is not supported"));
  }
  selector.serial_ = field(node, "serial");
  selector.modalias_ = field(node, "modalias");
  selector.type_ = field(node, "type");
  selector.bus_path_ = field(node, "busPath");
  const std::string& type = selector.type_;
  if (!type.empty() && type != "nvme" && type != "sd" && type != "hdd" && type != "ssd") {
    return tl::unexpected("unsupported disk type \"" + type + "\"");
  }
  return selector;
}

std::optional<std::string> DiskSelector::take_size(std::string_view text) {
  Size size{"==", 0};
  for (const std::string_view op : {">=", "<=", "==", ">", "<"}) {
    if (!text.starts_with(op)) continue;
    size.op = op;
    text.remove_prefix(op.size());
    break;
  }
  const auto bytes = parse_bytes(trim(text));
  if (!bytes) {
    return "failed to parse disk size " + std::string(text) +
           ": strconv.ParseFloat: parsing \"\": "
           "invalid syntax";
  }
  size.bytes = *bytes;
  size_ = size;
  return std::nullopt;
}

bool DiskSelector::matches(const Disk& disk) const {
  if (size_) {
    const auto [op, bytes] = std::pair(std::string_view(size_->op), size_->bytes);
    const bool fits = op == ">="   ? disk.size_bytes >= bytes
                      : op == "<=" ? disk.size_bytes <= bytes
                      : op == ">"  ? disk.size_bytes > bytes
                      : op == "<"  ? disk.size_bytes < bytes
                                   : disk.size_bytes == bytes;
    if (!fits) return false;
  }
  const auto agrees = [](const std::string& pattern, const std::string& text) {
    return pattern.empty() || matches_glob(pattern, text);
  };
  const bool named = agrees(uuid_, disk.uuid) && agrees(wwid_, disk.wwid) &&
                     agrees(model_, disk.model) && agrees(serial_, disk.serial) &&
                     agrees(modalias_, disk.modalias) && agrees(bus_path_, disk.bus_path);
  const bool typed = type_.empty() || (type_ == "nvme" && disk.transport == "nvme") ||
                     (type_ == "sd" && disk.transport == "mmc") ||
                     (type_ == "hdd" && disk.rotational) || (type_ == "ssd" && !disk.rotational);
  return named && typed && !disk.transport.empty() && !disk.read_only && !disk.cdrom;
}

const Disk* DiskSelector::choose(const std::vector<Disk>& disks) const {
  const Disk* chosen = nullptr;
  for (const Disk& disk : disks) {
    if (matches(disk) && (chosen == nullptr || disk.id < chosen->id)) chosen = &disk;
  }
  return chosen;
}

std::string DiskSelector::expression() const {
  std::vector<std::string> terms;
  const auto pattern = [&](const std::string& value, const char* name) {
    if (!value.empty()) terms.push_back("glob(\"" + value + "\", disk." + name + ")");
  };
  if (size_) terms.push_back("disk.size " + size_->op + " " + std::to_string(size_->bytes) + "u");
  pattern(uuid_, "uuid");
  pattern(wwid_, "wwid");
  pattern(model_, "model");
  pattern(serial_, "serial");
  pattern(modalias_, "modalias");
  terms.push_back("disk.transport != \"\"");
  if (type_ == "nvme") terms.push_back("disk.transport == \"nvme\"");
  if (type_ == "sd") terms.push_back("disk.transport == \"mmc\"");
  if (type_ == "hdd") terms.push_back("disk.rotational");
  if (type_ == "ssd") terms.push_back("!disk.rotational");
  pattern(bus_path_, "bus_path");
  terms.push_back("!disk.readonly");
  terms.push_back("!disk.cdrom");

  std::string text = terms.front();
  std::size_t line_start = 0;
  for (std::size_t i = 1; i < terms.size(); ++i) {
    // The CEL printer counts the operator by its internal name, "_&&_".
    const bool wraps = text.size() - line_start + 4 >= kWrapColumn;
    if (wraps) line_start = text.size();
    text += wraps ? " &&\n" : " && ";
    text += terms[i];
  }
  return text;
}

}  // namespace ichor::sim
