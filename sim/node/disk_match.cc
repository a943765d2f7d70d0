#include "sim/node/disk_match.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fnmatch.h>
#include <optional>
#include <string>
#include <variant>

namespace ichor::sim {

namespace {

using Value = std::variant<bool, std::uint64_t, std::string>;
using Found = std::optional<Value>;  // nothing: the expression is not understood

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr Unit kUnits[] = {
    {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30},   {"TiB", 1ull << 40},
    {"KB", 1'000},       {"MB", 1'000'000},   {"GB", 1'000'000'000}, {"TB", 1'000'000'000'000}};

/// Reads and computes at once, from left to right.
class Evaluation {
 public:
  Evaluation(std::string_view text, const Disk& disk) : text_(text), disk_(disk) {}

  bool holds() {
    const Found value = any();
    skip_blanks();
    return value && text_.empty() && std::get_if<bool>(&*value) && std::get<bool>(*value);
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size()));
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(sign.size());
    return true;
  }

  static Found both(const Found& left, const Found& right, bool either) {
    if (!left || !right || !std::get_if<bool>(&*left) || !std::get_if<bool>(&*right)) return {};
    const bool a = std::get<bool>(*left);
    const bool b = std::get<bool>(*right);
    return Value(either ? a || b : a && b);
  }

  Found any() {
    Found left = all();
    while (take("||")) left = both(left, all(), true);
    return left;
  }
  Found all() {
    Found left = comparison();
    while (take("&&")) left = both(left, comparison(), false);
    return left;
  }

  Found comparison() {
    const Found left = product();
    for (const std::string_view sign : {"==", "!=", ">=", "<=", ">", "<"}) {
      if (!take(sign)) continue;
      const Found right = product();
      if (!left || !right || left->index() != right->index()) return {};
      if (sign == "==") return Value(*left == *right);
      if (sign == "!=") return Value(*left != *right);
      if (sign == ">=") return Value(*left >= *right);
      if (sign == "<=") return Value(*left <= *right);
      return Value(sign == ">" ? *left > *right : *left < *right);
    }
    return left;
  }

  Found product() {
    Found left = part();
    while (take("*")) {
      const Found right = part();
      if (!left || !right || left->index() != 1 || right->index() != 1) return {};
      left = Value(std::get<std::uint64_t>(*left) * std::get<std::uint64_t>(*right));
    }
    return left;
  }

  Found part() {
    if (take("!")) {
      const Found value = part();
      if (!value || !std::get_if<bool>(&*value)) return {};
      return Value(!std::get<bool>(*value));
    }
    if (take("(")) {
      Found value = any();
      return take(")") ? value : Found();
    }
    skip_blanks();
    if (text_.starts_with('"') || text_.starts_with('\'')) return literal();
    if (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') return number();
    return name();
  }

  Found literal() {
    const char quote = text_.front();
    std::string value;
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == quote) {
        text_.remove_prefix(i + 1);
        return Value(std::move(value));
      }
      if (text_[i] == '\\') ++i;
      if (i < text_.size()) value += text_[i];
    }
    return {};
  }

  Found number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return {};
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('u')) text_.remove_prefix(1);
    return Value(value);
  }

  Found name() {
    const std::size_t end = std::min(
        text_.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789."),
        text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    if (word == "glob") return glob();
    if (word == "true" || word == "false") return Value(word == "true");
    if (word == "system_disk") return Value(disk_.system_disk);
    for (const Unit& unit : kUnits) {
      if (word == unit.name) return Value(unit.bytes);
    }
    return word.starts_with("disk.") ? field(word.substr(5)) : Found();
  }

  Found glob() {
    if (!take("(")) return {};
    const Found pattern = any();
    const bool comma = take(",");
    const Found value = any();
    if (!comma || !take(")") || !pattern || !value) return {};
    if (pattern->index() != 2 || value->index() != 2) return {};
    return Value(fnmatch(std::get<std::string>(*pattern).c_str(),
                         std::get<std::string>(*value).c_str(), 0) == 0);
  }

  Found field(std::string_view name) const {
    if (name == "dev_path") return Value(disk_.dev_path);
    if (name == "size") return Value(disk_.size_bytes);
    if (name == "model") return Value(disk_.model);
    if (name == "serial") return Value(disk_.serial);
    if (name == "wwid") return Value(disk_.wwid);
    if (name == "uuid") return Value(disk_.uuid);
    if (name == "modalias") return Value(disk_.modalias);
    if (name == "bus_path") return Value(disk_.bus_path);
    if (name == "transport") return Value(disk_.transport);
    if (name == "rotational") return Value(disk_.rotational);
    if (name == "readonly") return Value(disk_.read_only);
    if (name == "cdrom") return Value(disk_.cdrom);
    return {};
  }

  std::string_view text_;
  const Disk& disk_;
};

}  // namespace

const Disk* match_disk(std::string_view expression, const std::vector<Disk>& disks) {
  const Disk* first = nullptr;
  for (const Disk& disk : disks) {
    if (!Evaluation(expression, disk).holds()) continue;
    if (first == nullptr || disk.id < first->id) first = &disk;
  }
  return first;
}

}  // namespace ichor::sim
