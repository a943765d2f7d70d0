#include "machineconfig/schematic.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/check.h"
#include "secrets/digest.h"
#include "yaml/build.h"
#include "yaml/document.h"
#include "yaml/emit.h"
#include "yaml/go_scalar.h"

namespace ichor {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// What is beyond ASCII counts as letters.
bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? true : (c & 0x80) != 0; }

/// The order in which Go's YAML library writes the keys of a map: numbers within names count as
/// numbers, and what is no letter comes first, except behind a digit.
bool is_before(std::string_view a, std::string_view b) {
  bool digits = false;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i]) {
      digits = is_digit(a[i]);
      continue;
    }
    const bool a_letter = is_letter(a[i]);
    const bool b_letter = is_letter(b[i]);
    if (a_letter && b_letter) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
    }
    if (a_letter || b_letter) return digits ? a_letter : b_letter;
    std::uint64_t a_number = 0;
    std::uint64_t b_number = 0;
    if (a[i] == '0' || b[i] == '0') {
      for (std::size_t j = i; j-- > 0 && is_digit(a[j]);) {
        if (a[j] != '0') {
          a_number = b_number = 1;
          break;
        }
      }
    }
    std::size_t a_end = i;
    std::size_t b_end = i;
    for (; a_end < a.size() && is_digit(a[a_end]); ++a_end) {
      a_number = a_number * 10 + static_cast<std::uint64_t>(a[a_end] - '0');
    }
    for (; b_end < b.size() && is_digit(b[b_end]); ++b_end) {
      b_number = b_number * 10 + static_cast<std::uint64_t>(b[b_end] - '0');
    }
    if (a_number != b_number) return a_number < b_number;
    if (a_end != b_end) return a_end < b_end;
    return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
  }
  return a.size() < b.size();
}

/// Reads one schematic. The first thing that is wrong is kept, and nothing is read after it.
class Reader {
 public:
  explicit Reader(const yaml::Document& document) : document_(document) {}

  Result<yaml::Node> read() {
    yaml::Node canonical = top(document_.root);
    if (error_) return tl::unexpected(*error_);
    return canonical;
  }

 private:
  void refuse(const yaml::Node& node, const std::string& what) {
    if (!error_) {
      error_ = Error{Errc::invalid, fmt::format("{}: {}", document_.where(node), what)};
    }
  }

  /// Whether the node is a mapping with none but these keys; what is absent or null is none.
  bool is_mapping(const yaml::Node* node, std::string_view name,
                  std::initializer_list<std::string_view> keys) {
    if (!node || node->is_null()) return false;
    if (!node->is_mapping()) {
      refuse(*node, fmt::format("{} must be a mapping, not {}", name, yaml::describe(*node)));
      return false;
    }
    for (const yaml::Entry& entry : node->entries) {
      if (std::find(keys.begin(), keys.end(), entry.key.text) == keys.end()) {
        refuse(entry.key, fmt::format("{} has no field \"{}\"; it has {}", name, entry.key.text,
                                      fmt::join(keys, ", ")));
      }
    }
    return true;
  }

  std::string text(const yaml::Node* node, std::string_view name) {
    if (!node || node->is_null()) return {};
    const auto value = node->as_text();
    if (!value) refuse(*node, fmt::format("{} must be a string", name));
    return std::string(value.value_or(""));
  }

  bool flag(const yaml::Node* node, std::string_view name) {
    if (!node || node->is_null()) return false;
    if (const auto value = node->as_bool()) return *value;
    // Go takes the old words as well where it wants a truth value.
    if (node->is_scalar() && node->style == yaml::Style::plain) {
      for (const char* word : {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"}) {
        if (node->text == word) return true;
      }
      for (const char* word : {"n", "N", "no", "No", "NO", "off", "Off", "OFF"}) {
        if (node->text == word) return false;
      }
    }
    refuse(*node, fmt::format("{} must be true or false", name));
    return false;
  }

  std::vector<yaml::Node> texts(const yaml::Node* node, std::string_view name) {
    std::vector<yaml::Node> list;
    if (!node || node->is_null()) return list;
    if (!node->is_sequence()) {
      refuse(*node, fmt::format("{} must be a list", name));
      return list;
    }
    // Go's library leaves out what is null.
    for (const yaml::Node& item : node->items) {
      if (!item.is_null()) list.push_back(yaml::value(text(&item, name)));
    }
    return list;
  }

  std::vector<yaml::Node> meta(const yaml::Node* node) {
    std::vector<yaml::Node> list;
    if (!node || node->is_null()) return list;
    if (!node->is_sequence()) {
      refuse(*node, "meta must be a list");
      return list;
    }
    for (const yaml::Node& item : node->items) {
      if (!is_mapping(&item, "an entry of meta", {"key", "value"})) continue;
      const yaml::Node* key = item.find("key");
      std::int64_t number = 0;
      if (key && !key->is_null()) {
        const auto scalar = key->style == yaml::Style::plain && key->is_scalar()
                                ? yaml::resolve_go(key->text)
                                : yaml::GoScalar{};
        std::from_chars(scalar.text.data(), scalar.text.data() + scalar.text.size(), number);
        if (scalar.type != yaml::GoType::integer || number < 0 || number > 255) {
          refuse(*key, "a key of meta must be a number from 0 to 255");
        }
      }
      list.push_back(yaml::map()
                         .set("key", number)
                         .set("value", text(item.find("value"), "a value of meta"))
                         .done());
    }
    return list;
  }

  /// An option of an overlay may be anything; it is written as Go writes it.
  yaml::Node option(const yaml::Node& node) {
    if (node.is_mapping()) {
      std::vector<const yaml::Entry*> sorted;
      for (const yaml::Entry& entry : node.entries) sorted.push_back(&entry);
      std::sort(sorted.begin(), sorted.end(), [](const yaml::Entry* a, const yaml::Entry* b) {
        return is_before(a->key.text, b->key.text);
      });
      yaml::Map map;
      for (const yaml::Entry* entry : sorted) map.set(entry->key.text, option(entry->value));
      return std::move(map).done();
    }
    if (node.is_sequence()) {
      std::vector<yaml::Node> items;
      for (const yaml::Node& item : node.items) items.push_back(option(item));
      return yaml::list(std::move(items));
    }
    if (!node.is_scalar() || node.style == yaml::Style::quoted) return node;
    return plain_option(node);
  }

  yaml::Node plain_option(const yaml::Node& node) {
    const yaml::GoScalar scalar = yaml::resolve_go(node.text);
    yaml::Node written = node;
    switch (scalar.type) {
      case yaml::GoType::null: return yaml::make_null();
      case yaml::GoType::string: return yaml::make_string(scalar.text);
      case yaml::GoType::integer: written.text = scalar.text; break;
      case yaml::GoType::floating: written.text = yaml::yaml_float(scalar.text); break;
      case yaml::GoType::boolean: return yaml::make_bool(scalar.text == "True");
      case yaml::GoType::too_large: break;
      case yaml::GoType::time: refuse(node, "a time as an option; put it in quotes"); break;
    }
    return written;
  }

  yaml::Node top(const yaml::Node& root) {
    is_mapping(&root, "a schematic", {"owner", "overlay", "customization"});
    yaml::Map schematic;
    add(schematic, "owner", text(root.find("owner"), "owner"));
    const yaml::Node* overlay = root.find("overlay");
    if (is_mapping(overlay, "overlay", {"image", "name", "options"})) {
      yaml::Map map;
      const std::string image = text(overlay->find("image"), "image");
      const std::string name = text(overlay->find("name"), "name");
      map.set("image", image).set("name", name);
      const yaml::Node* options = overlay->find("options");
      if (options && !options->is_null() && !options->is_mapping()) {
        refuse(*options, "options must be a mapping");
      }
      const bool has_options = options && !options->entries.empty();
      if (has_options) map.set("options", option(*options));
      if (!image.empty() || !name.empty() || has_options) schematic.set("overlay", std::move(map));
    }
    schematic.set("customization", customization(root.find("customization")));
    return std::move(schematic).done();
  }

  yaml::Node customization(const yaml::Node* node) {
    yaml::Map map;
    if (!is_mapping(node, "customization",
                    {"embeddedMachineConfiguration", "extraKernelArgs", "meta", "systemExtensions",
                     "bootloader", "secureboot"})) {
      return std::move(map).done();
    }
    add(map, "embeddedMachineConfiguration",
        text(node->find("embeddedMachineConfiguration"), "embeddedMachineConfiguration"));
    add(map, "extraKernelArgs", texts(node->find("extraKernelArgs"), "extraKernelArgs"));
    add(map, "meta", meta(node->find("meta")));
    const yaml::Node* extensions = node->find("systemExtensions");
    if (is_mapping(extensions, "systemExtensions", {"officialExtensions"})) {
      auto official = texts(extensions->find("officialExtensions"), "officialExtensions");
      if (!official.empty()) {
        map.set("systemExtensions",
                yaml::map().set("officialExtensions", yaml::list(std::move(official))).done());
      }
    }
    add(map, "bootloader", text(node->find("bootloader"), "bootloader"));
    const yaml::Node* secure = node->find("secureboot");
    if (is_mapping(secure, "secureboot", {"includeWellKnownCertificates"}) &&
        flag(secure->find("includeWellKnownCertificates"), "includeWellKnownCertificates")) {
      map.set("secureboot", yaml::map().set("includeWellKnownCertificates", true).done());
    }
    return std::move(map).done();
  }

  static void add(yaml::Map& map, std::string_view key, const std::string& text) {
    if (!text.empty()) map.set(key, text);
  }
  static void add(yaml::Map& map, std::string_view key, std::vector<yaml::Node> list) {
    if (!list.empty()) map.set(key, yaml::list(std::move(list)));
  }

  const yaml::Document& document_;
  std::optional<Error> error_;
};

/// Every leaf with its path.
void leaves(const yaml::Node& node, const std::string& path,
            std::vector<std::pair<std::string, std::string>>& into) {
  for (const yaml::Entry& entry : node.entries) {
    leaves(entry.value, path.empty() ? entry.key.text : path + "." + entry.key.text, into);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    leaves(node.items[i], fmt::format("{}[{}]", path, i), into);
  }
  if (node.is_scalar()) into.emplace_back(path, node.text);
  if (node.is_null()) into.emplace_back(path, "null");
}

/// Flow style. Quotes only where a plain word would be read as something else.
std::string flow(const yaml::Node& node) {
  std::vector<std::string> parts;
  if (node.is_mapping()) {
    for (const yaml::Entry& entry : node.entries) {
      parts.push_back(entry.key.text + ": " + flow(entry.value));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  if (node.is_sequence()) {
    for (const yaml::Node& item : node.items) parts.push_back(flow(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=:@+";
  const bool word = node.text.find_first_not_of(plain) == std::string::npos && !node.text.empty() &&
                    !node.text.ends_with(':') && node.text.find_first_of("-:=@.") != 0;
  if (node.scalar_type() != yaml::ScalarType::string) return node.text;
  yaml::Node unquoted;
  unquoted.kind = yaml::Kind::scalar;
  unquoted.text = node.text;
  if (word && unquoted.scalar_type() == yaml::ScalarType::string) return node.text;
  std::string doubled;
  for (const char c : node.text) doubled += c == '\'' ? std::string("''") : std::string(1, c);
  return "'" + doubled + "'";
}

}  // namespace

Result<Schematic> Schematic::read(std::string_view text, const std::string& file) {
  yaml::Limits limits;
  limits.nodes_max = 10'000;
  auto documents = yaml::parse(text, file, limits);
  if (!documents) return forward_error(documents);
  if (documents->empty()) {
    return fail(Errc::invalid,
                fmt::format("{}: a schematic cannot be empty; write `customization: {{}}`", file));
  }
  auto canonical = Reader(documents->front()).read();
  if (!canonical) return forward_error(canonical);
  return Schematic(*std::move(canonical));
}

std::string Schematic::text() const { return yaml::emit_as_go(canonical_); }

std::string Schematic::id() const {
  std::string hex;
  for (const std::uint8_t byte : pki::sha256(text()).bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string Schematic::one_line() const {
  // The braces of the whole are not needed.
  const std::string text = flow(canonical_);
  return text.substr(1, text.size() - 2);
}

Schematic Schematic::with_kernel_arguments(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& argument) {
    if (std::find(all.begin(), all.end(), argument) == all.end()) all.push_back(argument);
  };
  const yaml::Node* present = canonical_.find_path({"customization", "extraKernelArgs"});
  if (present != nullptr) {
    for (const yaml::Node& item : present->items) all.push_back(item.text);
  }
  for (const std::string& argument : arguments) add(argument);
  yaml::Map customization;
  if (const yaml::Node* old = canonical_.find("customization")) {
    for (const yaml::Entry& entry : old->entries) customization.set(entry.key.text, entry.value);
  }
  if (!all.empty()) customization.set("extraKernelArgs", yaml::list(all));
  yaml::Map root;
  for (const yaml::Entry& entry : canonical_.entries) root.set(entry.key.text, entry.value);
  root.set("customization", std::move(customization));
  // Read again, because that brings the keys into the factory's order.
  auto schematic = read(yaml::emit(std::move(root).done()), "schematic");
  check(schematic.has_value(), "a schematic with more arguments is one");
  return *std::move(schematic);
}

std::vector<SchematicChange> compare(const Schematic& before, const Schematic& after) {
  std::vector<std::pair<std::string, std::string>> old_leaves, new_leaves;
  leaves(before.canonical(), "", old_leaves);
  leaves(after.canonical(), "", new_leaves);
  const auto find = [](const auto& list, const std::string& path) {
    return std::find_if(list.begin(), list.end(),
                        [&](const auto& leaf) { return leaf.first == path; });
  };
  std::vector<SchematicChange> changes;
  for (const auto& [path, value] : old_leaves) {
    const auto other = find(new_leaves, path);
    const std::string now = other == new_leaves.end() ? "" : other->second;
    if (now != value) changes.push_back({path, value, now});
  }
  for (const auto& [path, value] : new_leaves) {
    if (find(old_leaves, path) == old_leaves.end()) changes.push_back({path, "", value});
  }
  return changes;
}

}  // namespace ichor
