#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "base/check.h"
#include "machineconfig/go_scalar.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

// `object name` with `key type` lines below it; `[type]` is a list, `{type}` a mapping. Unknown
// keys are no mistake here, and the case of a key does not matter.
constexpr std::string_view kTable =
#include "machineconfig/validate/runtime_spec.inc"
    ;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

using Objects = std::map<std::string, std::map<std::string, std::string>, std::less<>>;

Objects read_table(int minor) {
  Objects objects;
  std::map<std::string, std::string>* open = nullptr;
  std::string_view table = kTable;
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (line.starts_with("object ")) {
      open = &objects[std::string(line.substr(7))];
    } else if (!line.empty()) {
      check(open != nullptr, "a key belongs to an object");
      line.remove_prefix(2);
      const std::size_t since = line.find(" since=1.13");
      if (since != std::string_view::npos && minor < 13) continue;
      line = line.substr(0, since);
      const std::size_t space = line.find(' ');
      (*open)[lower(line.substr(0, space))] = line.substr(space + 1);
    }
  }
  return objects;
}

class Reader {
 public:
  Reader(const Objects& objects, std::string_view place, Report& report)
      : objects_(objects), place_(place), report_(report) {}

  void read(const yaml::Node& node, std::string_view type, const std::string& path) {
    if (node.is_null() || type == "any") return;
    if (type.starts_with('[') || type.starts_with('{')) {
      const bool list = type.starts_with('[');
      if (list ? !node.is_sequence() : !node.is_mapping()) {
        return refuse(node, path, list ? "a list" : "a mapping");
      }
      const std::string_view inner = type.substr(1, type.size() - 2);
      for (const yaml::Node& item : node.items) read(item, inner, path);
      for (const yaml::Entry& entry : node.entries) {
        read(entry.value, inner, path + "." + entry.key.text);
      }
      return;
    }
    const auto object = objects_.find(type);
    if (object == objects_.end()) return read_scalar(node, type, path);
    if (!node.is_mapping()) return refuse(node, path, "a mapping");
    for (const yaml::Entry& entry : node.entries) {
      const auto field = object->second.find(lower(entry.key.text));
      if (field == object->second.end()) continue;
      read(entry.value, field->second, path.empty() ? entry.key.text : path + "." + entry.key.text);
    }
  }

 private:
  void read_scalar(const yaml::Node& node, std::string_view type, const std::string& path) {
    if (!node.is_scalar()) return refuse(node, path, name_of(type));
    const GoScalar scalar = read_go_scalar(node);
    using Type = GoScalar::Type;
    bool fits = false;
    if (type == "string") fits = scalar.type == Type::text;
    if (type == "bool") fits = scalar.type == Type::boolean;
    if (type.starts_with("int") || type.starts_with("uint")) fits = fits_number(scalar, type);
    if (!fits) refuse(node, path, name_of(type));
  }

  static bool fits_number(const GoScalar& scalar, std::string_view type) {
    const bool is_unsigned = type.starts_with('u');
    int bits = 64;
    const std::string_view digits = type.substr(is_unsigned ? 4 : 3);
    std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (scalar.type == GoScalar::Type::large) return is_unsigned && bits == 64;
    if (scalar.type != GoScalar::Type::integer) return false;
    if (bits == 64) return !is_unsigned || scalar.integer >= 0;
    const std::int64_t limit = std::int64_t{1} << (is_unsigned ? bits : bits - 1);
    return scalar.integer < limit && scalar.integer >= (is_unsigned ? 0 : -limit);
  }

  static std::string_view name_of(std::string_view type) {
    if (type == "string") return "a text";
    if (type == "bool") return "true or false";
    return type.starts_with('u') ? "an integer from 0 on" : "an integer";
  }

  void refuse(const yaml::Node& node, const std::string& path, std::string_view what) {
    report_.error(View(node), fmt::format("{}.{} must be {}", place_, path, what),
                  fmt::format("write {}", what));
  }

  const Objects& objects_;
  std::string_view place_;
  Report& report_;
};

}  // namespace

void check_runtime_spec(const Subject& subject, Report& report) {
  check_runtime_overrides(subject.machine()["baseRuntimeSpecOverrides"],
                          "machine.baseRuntimeSpecOverrides", report);
}

void check_runtime_overrides(const View& overrides, std::string_view place, Report& report) {
  if (overrides.count() == 0) return;
  static const Objects old_objects = read_table(12);
  static const Objects new_objects = read_table(13);
  Reader(report.minor() >= 13 ? new_objects : old_objects, place, report)
      .read(overrides.node(), "Spec", "");
}

}  // namespace ichor::validate
