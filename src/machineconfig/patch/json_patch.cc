#include "machineconfig/patch/json_patch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "machineconfig/typed_value.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

yaml::Node* find_value(yaml::Node& mapping, std::string_view key) {
  return const_cast<yaml::Node*>(static_cast<const yaml::Node&>(mapping).find(key));
}

std::optional<int> index_of(const std::string& text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int index = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return index;
}

/// The place of an index in a list of `size`; -1 is the last one.
std::optional<std::size_t> place_of(const std::string& text, std::size_t size) {
  const auto index = index_of(text);
  if (!index) return std::nullopt;
  const auto limit = static_cast<int>(size);
  const int place = *index < 0 ? *index + limit : *index;
  if (place < 0 || place >= limit) return std::nullopt;
  return static_cast<std::size_t>(place);
}

yaml::Node* child_of(yaml::Node& node, const std::string& key) {
  if (node.is_mapping()) return find_value(node, key);
  if (!node.is_sequence()) return nullptr;
  const auto place = place_of(key, node.items.size());
  return place ? &node.items[*place] : nullptr;
}

/// The collection that the last key of a pointer belongs to.
yaml::Node* holder_of(yaml::Node& root, const std::vector<std::string>& keys) {
  if (keys.empty()) return nullptr;
  yaml::Node* node = &root;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    node = child_of(*node, keys[i]);
    if (node == nullptr || node->is_null()) return nullptr;
  }
  return node->is_mapping() || node->is_sequence() ? node : nullptr;
}

bool add(yaml::Node& holder, const std::string& key, yaml::Node value) {
  if (holder.is_mapping()) {
    if (yaml::Node* present = find_value(holder, key)) {
      *present = std::move(value);
    } else {
      holder.entries.push_back({yaml::make_string(key), std::move(value)});
    }
    return true;
  }
  if (key == "-") {
    holder.items.push_back(std::move(value));
    return true;
  }
  const auto place = place_of(key, holder.items.size() + 1);
  if (!place) return false;
  holder.items.insert(holder.items.begin() + static_cast<std::ptrdiff_t>(*place), std::move(value));
  return true;
}

bool remove(yaml::Node& holder, const std::string& key) {
  if (holder.is_mapping()) {
    return std::erase_if(holder.entries,
                         [&](const yaml::Entry& entry) { return entry.key.text == key; }) > 0;
  }
  const auto place = place_of(key, holder.items.size());
  if (!place) return false;
  holder.items.erase(holder.items.begin() + static_cast<std::ptrdiff_t>(*place));
  return true;
}

bool same(const yaml::Node& a, const yaml::Node& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.entries.size() != b.entries.size()) return false;
  if (a.is_scalar()) {
    if (a.as_double() && b.as_double()) return a.as_double() == b.as_double();
    return a.scalar_type() == b.scalar_type() && a.text == b.text;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!same(a.items[i], b.items[i])) return false;
  }
  return std::all_of(a.entries.begin(), a.entries.end(), [&](const yaml::Entry& entry) {
    const yaml::Node* other = b.find(entry.key.text);
    return other != nullptr && same(entry.value, *other);
  });
}

/// The steps, each of which answers with what is wrong or an empty text.
class Applier {
 public:
  explicit Applier(yaml::Node& root) : root_(root) {}

  std::string run(const JsonOperation& step) {
    if (!step.path) return "the step has no path";
    if (step.op == "add") return add_value(*step.path, step.value.value_or(yaml::make_null()));
    if (step.op == "remove") return remove_value(*step.path);
    if (step.op == "replace") return replace(step);
    if (step.op == "move" || step.op == "copy") return move_or_copy(step);
    if (step.op == "test") return test(step);
    return fmt::format("unknown op \"{}\"; known are add, remove, replace, move, copy and test",
                       step.op);
  }

 private:
  std::string add_value(const std::string& path, yaml::Node value) {
    const auto keys = split_pointer(path);
    yaml::Node* holder = holder_of(root_, keys);
    if (holder == nullptr || !add(*holder, keys.back(), std::move(value))) {
      return fmt::format("{} is not in the config", path.empty() ? "the empty path" : path);
    }
    return {};
  }

  std::string remove_value(const std::string& path) {
    const auto keys = split_pointer(path);
    yaml::Node* holder = holder_of(root_, keys);
    if (holder != nullptr && remove(*holder, keys.back())) return {};
    return fmt::format("{} is not in the config", path);
  }

  std::string replace(const JsonOperation& step) {
    const yaml::Node value = step.value.value_or(yaml::make_null());
    if (step.path->empty()) {
      if (!value.is_mapping() && !value.is_sequence()) return "the config cannot become a scalar";
      root_ = value;
      return {};
    }
    const auto keys = split_pointer(*step.path);
    yaml::Node* holder = holder_of(root_, keys);
    if (holder != nullptr && holder->is_mapping()) {
      add(*holder, keys.back(), value);
      return {};
    }
    yaml::Node* present = holder != nullptr ? child_of(*holder, keys.back()) : nullptr;
    if (present == nullptr) return fmt::format("{} is not in the config", *step.path);
    *present = value;
    return {};
  }

  std::string move_or_copy(const JsonOperation& step) {
    if (!step.from) return "the step has no from";
    const auto keys = split_pointer(*step.from);
    yaml::Node* holder = holder_of(root_, keys);
    const yaml::Node* source = holder != nullptr ? child_of(*holder, keys.back()) : nullptr;
    const bool nothing =
        source == nullptr && holder != nullptr && holder->is_mapping() && step.op == "copy";
    if (source == nullptr && !nothing) return fmt::format("{} is not in the config", *step.from);
    yaml::Node value = source != nullptr ? *source : yaml::make_null();
    if (step.op == "move") remove(*holder, keys.back());
    return add_value(*step.path, std::move(value));
  }

  std::string test(const JsonOperation& step) {
    const auto keys = split_pointer(*step.path);
    const std::string failed = fmt::format("{} is not what the test wants", *step.path);
    const yaml::Node wanted = step.value.value_or(yaml::make_null());
    if (step.path->empty()) return same(root_, wanted) ? "" : failed;
    yaml::Node* holder = holder_of(root_, keys);
    if (holder == nullptr) return fmt::format("{} is not in the config", *step.path);
    const yaml::Node* present = child_of(*holder, keys.back());
    if (present == nullptr) return holder->is_mapping() && !step.value ? "" : failed;
    return same(*present, wanted) ? "" : failed;
  }

  yaml::Node& root_;
};

/// Puts a value at the end of a way of keys, making mappings on the way.
yaml::Node& place_at(yaml::Node& root, const std::vector<std::string>& keys) {
  yaml::Node* node = &root;
  for (const std::string& key : keys) {
    if (!node->is_mapping()) *node = yaml::map();
    if (yaml::Node* present = find_value(*node, key)) {
      node = present;
    } else {
      node->entries.push_back({yaml::make_string(key), yaml::map()});
      node = &node->entries.back().value;
    }
  }
  return *node;
}

/// The field at the end of a way of keys through the v1alpha1 document.
const schema::Field* field_at(const std::vector<std::string>& keys) {
  const schema::Object* object = &schema::Schema::get().config();
  const schema::Field* field = nullptr;
  for (const std::string& key : keys) {
    field = object != nullptr ? object->find(key) : nullptr;
    if (field == nullptr) return nullptr;
    object = field->form == schema::Form::one ? field->object : nullptr;
  }
  return field;
}

/// Adds what a step does to a strategic patch; false if that cannot be said.
bool translate(const JsonOperation& step, yaml::Node& root) {
  if (step.op == "test") return true;
  if (!step.path || (step.op != "add" && step.op != "replace" && step.op != "remove")) return false;
  auto keys = split_pointer(*step.path);
  if (keys.empty()) return false;
  const bool to_end = keys.back() == "-";
  if (to_end || index_of(keys.back())) {
    const std::vector<std::string> list(keys.begin(), keys.end() - 1);
    const schema::Field* field = field_at(list);
    const bool replaced = field != nullptr && field->replace.holds(schema::Schema::kUsualMinor);
    const bool fits = replaced ? step.op != "remove" : step.op == "add";
    if (!fits || (!to_end && !replaced && keys.back() != "-1")) return false;
    yaml::Node& target = place_at(root, list);
    if (!target.is_sequence()) target = yaml::list(std::vector<yaml::Node>{});
    target.items.push_back(step.value.value_or(yaml::make_null()));
    return true;
  }
  const bool in_list =
      std::any_of(keys.begin(), keys.end(), [](const auto& key) { return index_of(key); });
  if (in_list) return false;
  yaml::Node& target = place_at(root, keys);
  target = step.op == "remove" ? yaml::map().set("$patch", "delete").done()
                               : step.value.value_or(yaml::make_null());
  return true;
}

}  // namespace

std::vector<std::string> split_pointer(const std::string& pointer) {
  std::vector<std::string> keys;
  std::size_t from = pointer.find('/');
  while (from != std::string::npos) {
    const std::size_t next = pointer.find('/', from + 1);
    const std::string raw = pointer.substr(from + 1, next - from - 1);
    std::string key;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const bool escape =
          raw[i] == '~' && i + 1 < raw.size() && (raw[i + 1] == '0' || raw[i + 1] == '1');
      key += escape ? (raw[++i] == '1' ? '/' : '~') : raw[i];
    }
    keys.push_back(std::move(key));
    from = next;
  }
  return keys;
}

std::optional<JsonPatch> read_json_patch(const yaml::Node& root) {
  if (root.is_null()) return JsonPatch{};
  if (!root.is_sequence()) return std::nullopt;
  JsonPatch patch;
  for (const yaml::Node& item : root.items) {
    if (!item.is_mapping() && !item.is_null()) return std::nullopt;
    JsonOperation& step = patch.emplace_back();
    step.at = item.at;
    const auto text = [&](std::string_view key) -> std::optional<std::string> {
      const yaml::Node* node = item.find(key);
      const auto found = node != nullptr ? node->as_string() : std::nullopt;
      return found ? std::optional(std::string(*found)) : std::nullopt;
    };
    step.op = text("op").value_or("");
    step.path = text("path");
    step.from = text("from");
    if (const yaml::Node* value = item.find("value")) step.value = normal_free(*value);
  }
  return patch;
}

Result<void> apply_json_patch(const JsonPatch& patch, const std::string& file, yaml::Node& root) {
  yaml::Node changed = root;
  Applier applier(changed);
  for (const JsonOperation& step : patch) {
    const std::string wrong = applier.run(step);
    if (!wrong.empty()) {
      yaml::wipe(changed);
      return fail(Errc::invalid, fmt::format("{}: {}", yaml::to_text(file, step.at), wrong));
    }
  }
  std::swap(root, changed);
  yaml::wipe(changed);
  return {};
}

yaml::Node as_json(const yaml::Node& node) {
  static constexpr std::array<std::string_view, 8> yes = {"y",   "Y",  "yes", "Yes",
                                                          "YES", "on", "On",  "ON"};
  static constexpr std::array<std::string_view, 8> no = {"n",  "N",   "no",  "No",
                                                         "NO", "off", "Off", "OFF"};
  if (node.is_scalar()) {
    const bool plain = node.style == yaml::Style::plain;
    if (plain && std::find(yes.begin(), yes.end(), node.text) != yes.end())
      return yaml::make_bool(true);
    if (plain && std::find(no.begin(), no.end(), node.text) != no.end())
      return yaml::make_bool(false);
    return normal_free(node);
  }
  yaml::Node out = node;
  for (yaml::Node& item : out.items) item = as_json(item);
  for (yaml::Entry& entry : out.entries) entry.value = as_json(entry.value);
  return out;
}

std::string equivalent_strategic(const JsonPatch& patch) {
  yaml::Node root = yaml::map();
  std::string comments;
  for (const JsonOperation& step : patch) {
    if (translate(step, root)) continue;
    comments += fmt::format("# {} {} has no equivalent\n", step.op, step.path.value_or(""));
  }
  return comments + (root.entries.empty() ? "" : yaml::emit(root));
}

}  // namespace ichor
