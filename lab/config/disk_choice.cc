#include "lab/config/disk_choice.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace ichor::lab {

namespace {

struct SizeTerm {
  std::string op{"=="};
  std::uint64_t bytes{0};
};

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr Unit kUnits[] = {
    {"", 1},
    {"b", 1},
    {"kb", 1'000},
    {"mb", 1'000'000},
    {"gb", 1'000'000'000},
    {"tb", 1'000'000'000'000},
    {"pb", 1'000'000'000'000'000},
    {"k", 1'000},
    {"m", 1'000'000},
    {"g", 1'000'000'000},
    {"t", 1'000'000'000'000},
    {"kib", 1ull << 10},
    {"mib", 1ull << 20},
    {"gib", 1ull << 30},
    {"tib", 1ull << 40},
    {"pib", 1ull << 50},
    {"ki", 1ull << 10},
    {"mi", 1ull << 20},
    {"gi", 1ull << 30},
    {"ti", 1ull << 40},
};

std::optional<SizeTerm> parse_size(std::string_view text) {
  SizeTerm term;
  for (const std::string_view op : {">=", "<=", "==", ">", "<"}) {
    if (text.starts_with(op)) {
      term.op = op;
      text.remove_prefix(op.size());
      break;
    }
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const Unit& known : kUnits) {
    if (unit == known.name) {
      term.bytes = static_cast<std::uint64_t>(number * static_cast<double>(known.bytes));
      return term;
    }
  }
  return std::nullopt;
}

bool compare(std::uint64_t size, const SizeTerm& term) {
  if (term.op == ">=") return size >= term.bytes;
  if (term.op == "<=") return size <= term.bytes;
  if (term.op == ">") return size > term.bytes;
  if (term.op == "<") return size < term.bytes;
  return size == term.bytes;
}

/// The terms of an expression, joined by `&&`.
class Expression {
 public:
  using Test = std::function<bool(const Disk&)>;

  void add(std::string text, Test test) {
    if (!text_.empty()) {
      // Talos' printer wraps long expressions after an operator.
      const std::size_t line = text_.size() - (text_.rfind('\n') + 1);
      text_ += line > 80 ? " &&\n" : " && ";
    }
    text_ += text;
    tests_.push_back(std::move(test));
  }
  void add_glob(const std::string& pattern, const char* field, std::string Disk::*member) {
    if (pattern.empty()) return;
    add("glob(\"" + pattern + "\", disk." + field + ")",
        [pattern, member](const Disk& disk) { return glob(pattern, disk.*member); });
  }
  bool holds(const Disk& disk) const {
    return std::all_of(tests_.begin(), tests_.end(), [&](const Test& test) { return test(disk); });
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<Test> tests_;
};

Result<void> add_type(Expression& expression, const std::string& type) {
  if (type.empty()) return {};
  if (type == "nvme" || type == "sd") {
    const std::string transport = type == "sd" ? "mmc" : "nvme";
    expression.add("disk.transport == \"" + transport + "\"",
                   [transport](const Disk& disk) { return disk.transport == transport; });
  } else if (type == "hdd") {
    expression.add("disk.rotational", [](const Disk& disk) { return disk.rotational; });
  } else if (type == "ssd") {
    expression.add("!disk.rotational", [](const Disk& disk) { return !disk.rotational; });
  } else {
    return fail(Errc::invalid, "unsupported disk type \"" + type + "\"");
  }
  return {};
}

}  // namespace

bool glob(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  while (true) {
    const std::size_t next = pattern.find('*');
    if (next == pattern.npos) return text.ends_with(pattern);
    const std::size_t at = text.find(pattern.substr(0, next));
    if (at == text.npos) return false;
    text.remove_prefix(at + next);
    pattern.remove_prefix(next + 1);
  }
}

Result<DiskChoice> choose_disk(const DiskSelector& selector, std::vector<Disk> disks) {
  Expression expression;
  if (!selector.size.empty()) {
    const auto term = parse_size(selector.size);
    if (!term) return fail(Errc::invalid, "failed to parse disk size " + selector.size);
    expression.add("disk.size " + term->op + " " + std::to_string(term->bytes) + "u",
                   [term = *term](const Disk& disk) { return compare(disk.size_bytes, term); });
  }
  expression.add_glob(selector.uuid, "uuid", &Disk::uuid);
  expression.add_glob(selector.wwid, "wwid", &Disk::wwid);
  expression.add_glob(selector.model, "model", &Disk::model);
  expression.add_glob(selector.serial, "serial", &Disk::serial);
  expression.add_glob(selector.modalias, "modalias", &Disk::modalias);
  expression.add("disk.transport != \"\"",
                 [](const Disk& disk) { return !disk.transport.empty(); });
  if (auto typed = add_type(expression, selector.type); !typed) {
    return tl::unexpected(typed.error());
  }
  expression.add_glob(selector.bus_path, "bus_path", &Disk::bus_path);
  expression.add("!disk.readonly", [](const Disk& disk) { return !disk.read_only; });
  expression.add("!disk.cdrom", [](const Disk& disk) { return !disk.cdrom; });

  std::sort(disks.begin(), disks.end(), [](const Disk& a, const Disk& b) { return a.id < b.id; });
  DiskChoice choice{expression.text(), std::nullopt};
  for (const Disk& disk : disks) {
    if (!expression.holds(disk)) continue;
    choice.dev_path = disk.dev_path;
    break;
  }
  return choice;
}

}  // namespace ichor::lab
