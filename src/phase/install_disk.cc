#include "phase/install_disk.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace ichor {

namespace {

enum class Comparison { equal, at_least, at_most, above, below };

struct SizeTerm {
  Comparison comparison{Comparison::equal};
  std::uint64_t bytes{0};

  bool holds(std::uint64_t size) const {
    switch (comparison) {
      case Comparison::equal: return size == bytes;
      case Comparison::at_least: return size >= bytes;
      case Comparison::at_most: return size <= bytes;
      case Comparison::above: return size > bytes;
      case Comparison::below: return size < bytes;
    }
    return false;
  }
};

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The factor of "", "b", "k", "kb", "ki", "kib" and so on up to exa, whatever their case.
std::optional<double> unit_factor(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmgtpe";
  std::string lower(unit);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "b") return 1.0;
  const std::size_t power = kPrefixes.find(lower.front());
  const std::string_view rest = std::string_view(lower).substr(1);
  if (power == std::string_view::npos) return std::nullopt;
  const bool decimal = rest.empty() || rest == "b";
  if (!decimal && rest != "i" && rest != "ib") return std::nullopt;
  double factor = 1.0;
  for (std::size_t i = 0; i <= power; ++i) factor *= decimal ? 1000.0 : 1024.0;
  return factor;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto factor =
      unit_factor(without_spaces(text.substr(static_cast<std::size_t>(end - text.data()))));
  const bool is_size = error == std::errc() && number >= 0 && factor && number * *factor < 0x1p63;
  if (!is_size) return std::nullopt;
  return static_cast<std::uint64_t>(number * *factor);
}

std::optional<SizeTerm> parse_size(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Comparison>, 5> kOperators = {
      {{">=", Comparison::at_least},
       {"<=", Comparison::at_most},
       {"==", Comparison::equal},
       {">", Comparison::above},
       {"<", Comparison::below}}};
  text = without_spaces(text);
  SizeTerm term;
  for (const auto& [sign, comparison] : kOperators) {
    if (!text.starts_with(sign)) continue;
    term.comparison = comparison;
    text = without_spaces(text.substr(sign.size()));
    break;
  }
  const auto bytes = parse_bytes(text);
  if (!bytes) return std::nullopt;
  term.bytes = *bytes;
  return term;
}

/// What Talos calls a type: only nvme and sd look at the transport.
bool is_of_type(const std::string& type, const Disk& disk) {
  if (type == "nvme") return disk.transport == "nvme";
  if (type == "sd") return disk.transport == "mmc";
  if (type == "hdd") return disk.rotational;
  return type != "ssd" || !disk.rotational;
}

bool fits(const DiskSelector& selector, const std::optional<SizeTerm>& size, const Disk& disk) {
  const auto agrees = [](const std::string& pattern, const std::string& text) {
    return pattern.empty() || matches_glob(pattern, text);
  };
  return takes_talos(disk) && (!size || size->holds(disk.size_bytes)) &&
         agrees(selector.uuid, disk.uuid) && agrees(selector.wwid, disk.wwid) &&
         agrees(selector.model, disk.model) && agrees(selector.serial, disk.serial) &&
         agrees(selector.modalias, disk.modalias) && agrees(selector.bus_path, disk.bus_path) &&
         is_of_type(selector.type, disk);
}

Result<InstallDisks> by_selector(const DiskSelector& selector, const std::vector<Disk>& present) {
  std::optional<SizeTerm> size;
  if (!selector.size.empty()) {
    size = parse_size(selector.size);
    if (!size) {
      return fail(Errc::invalid,
                  fmt::format("\"{}\" is not a size such as \">= 100GB\"", selector.size));
    }
  }
  constexpr std::array<std::string_view, 5> kTypes = {"", "nvme", "sd", "hdd", "ssd"};
  if (std::find(kTypes.begin(), kTypes.end(), selector.type) == kTypes.end()) {
    return fail(Errc::invalid,
                fmt::format("\"{}\" is not a type of disk: nvme, sd, hdd or ssd", selector.type));
  }
  InstallDisks found;
  std::copy_if(present.begin(), present.end(), std::back_inserter(found.disks),
               [&](const Disk& disk) { return fits(selector, size, disk); });
  return found;
}

/// Older releases of Talos do not say which links lead to a disk.
bool lists_links(const std::vector<Disk>& present) {
  return std::any_of(present.begin(), present.end(),
                     [](const Disk& disk) { return !disk.links.empty(); });
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (;;) {
    const std::size_t next = pattern.find('*');
    if (next == std::string_view::npos) return text.ends_with(pattern);
    const std::size_t at = text.find(pattern.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    pattern.remove_prefix(next + 1);
  }
}

Result<InstallDisks> install_disks(const NodePlan& plan, const std::vector<Disk>& present) {
  InstallDisks found;
  if (!plan.disk_selector.empty()) {
    auto selected = by_selector(plan.disk_selector, present);
    if (!selected) return selected;
    found = *std::move(selected);
  } else if (plan.disk.empty()) {
    found.how = InstallDisks::How::unspecified;
  } else if (plan.disk.starts_with("/dev/disk/") && !lists_links(present)) {
    found.how = InstallDisks::How::link;
  } else {
    std::copy_if(present.begin(), present.end(), std::back_inserter(found.disks),
                 [&](const Disk& disk) { return is_at(disk, plan.disk); });
  }
  std::sort(found.disks.begin(), found.disks.end(),
            [](const Disk& a, const Disk& b) { return a.id < b.id; });
  return found;
}

bool is_at(const Disk& disk, std::string_view path) {
  return disk.dev_path == path ||
         std::find(disk.links.begin(), disk.links.end(), path) != disk.links.end();
}

bool takes_talos(const Disk& disk) {
  return !disk.transport.empty() && !disk.read_only && !disk.cdrom;
}

std::string wanted_disk(const NodePlan& plan) {
  const DiskSelector& selector = plan.disk_selector;
  if (selector.empty()) return plan.disk;
  const std::array<std::pair<const char*, const std::string*>, 8> terms = {
      {{"serial", &selector.serial},
       {"WWID", &selector.wwid},
       {"UUID", &selector.uuid},
       {"model", &selector.model},
       {"size", &selector.size},
       {"type", &selector.type},
       {"busPath", &selector.bus_path},
       {"modalias", &selector.modalias}}};
  std::string text;
  for (const auto& [name, value] : terms) {
    if (!value->empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *value);
  }
  return text;
}

std::string to_text(const Disk& disk) {
  std::string text = fmt::format("{}, {:.1f} GiB", disk.dev_path,
                                 static_cast<double>(disk.size_bytes) / (1 << 30));
  if (!disk.model.empty()) text += ", " + disk.model;
  if (!disk.serial.empty()) text += ", serial " + disk.serial;
  if (!disk.transport.empty()) text += ", " + disk.transport;
  if (disk.read_only) text += ", read-only";
  if (disk.cdrom) text += ", CD";
  return text;
}

std::string consent_name(const Disk& disk) {
  if (!disk.serial.empty()) return disk.serial;
  return disk.wwid.empty() ? disk.dev_path : disk.wwid;
}

}  // namespace ichor
