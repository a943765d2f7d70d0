#include "machineconfig/patch/merge.h"

#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/go_scalar.h"
#include "machineconfig/go_url.h"
#include "machineconfig/rules.h"
#include "machineconfig/typed_value.h"
#include "yaml/build.h"

namespace ichor {

namespace {

using schema::Field;
using schema::Form;
using schema::Object;
using schema::Shape;

const yaml::Node& empty_mapping() {
  static const yaml::Node node = yaml::map();
  return node;
}

yaml::Node* find_value(yaml::Node& mapping, std::string_view key) {
  return const_cast<yaml::Node*>(static_cast<const yaml::Node&>(mapping).find(key));
}

void set_value(yaml::Node& mapping, const std::string& key, const yaml::Node& value) {
  if (yaml::Node* present = find_value(mapping, key)) {
    *present = value;
  } else {
    mapping.entries.push_back({yaml::make_string(key), value});
  }
}

void unset_value(yaml::Node& mapping, std::string_view key) {
  std::erase_if(mapping.entries, [&](const yaml::Entry& entry) { return entry.key.text == key; });
}

/// The type of a value in a free mapping, as Go sees it: only equal types can be merged.
int go_type(const yaml::Node& node) {
  if (node.is_mapping()) return 100;
  if (node.is_sequence()) return 101;
  return static_cast<int>(read_go_scalar(node).type);
}

bool is_free_zero(const yaml::Node& node) {
  const GoScalar scalar = read_go_scalar(node);
  switch (scalar.type) {
    case GoScalar::Type::null: return true;
    case GoScalar::Type::boolean: return false;
    case GoScalar::Type::integer: return scalar.integer == 0;
    case GoScalar::Type::large: return false;
    case GoScalar::Type::floating: return scalar.floating == 0;
    case GoScalar::Type::text: return node.text.empty();
  }
  return false;
}

/// Merges two free mappings.
Result<void> merge_free(yaml::Node& left, const yaml::Node& right, const std::string& path) {
  for (const yaml::Entry& entry : right.entries) {
    const std::string& key = entry.key.text;
    yaml::Node* present = find_value(left, key);
    if (present == nullptr || present->is_null()) {
      set_value(left, key, entry.value);
      continue;
    }
    if (entry.value.is_null()) continue;
    const std::string where = path.empty() ? key : path + "." + key;
    if (go_type(*present) != go_type(entry.value)) {
      return fail(Errc::invalid,
                  fmt::format("{} is {} in the config and {} in the patch; they cannot be merged",
                              where, describe(*present), describe(entry.value)));
    }
    if (present->is_mapping()) {
      if (auto merged = merge_free(*present, entry.value, where); !merged) return merged;
    } else if (present->is_sequence()) {
      present->items.insert(present->items.end(), entry.value.items.begin(),
                            entry.value.items.end());
    } else if (!is_free_zero(entry.value)) {
      *present = entry.value;
    }
  }
  return {};
}

/// A merge of two trees of one schema. `path` is for messages.
class Merger {
 public:
  explicit Merger(int minor) : minor_(minor) {}

  Result<void> object(const Object& type, yaml::Node& left, const yaml::Node& right,
                      const std::string& path) {
    // A certificate and its key belong together: a patch with one of them sets both.
    if (type.name.starts_with("PEMEncoded")) {
      left = right;
      return {};
    }
    for (const Field& field : type.fields) {
      const std::string where = path.empty() ? field.key : path + "." + field.key;
      if (auto merged = this->field(field, left, right, where); !merged) return merged;
    }
    return {};
  }

 private:
  Result<void> field(const Field& field, yaml::Node& left, const yaml::Node& right,
                     const std::string& path) {
    const yaml::Node* theirs = right.find(field.key);
    yaml::Node* ours = find_value(left, field.key);
    if (field.form == Form::list) return list(field, left, ours, theirs, path);
    if (field.form == Form::map) return map(field, left, ours, theirs, path);
    if (field.pointer || field.shape == Shape::free) {
      if (theirs == nullptr) return {};
      if (ours == nullptr || field.replace.holds(minor_)) {
        set_value(left, field.key, *theirs);
        return {};
      }
      return both(field, *ours, *theirs, path);
    }
    if (field.shape == Shape::object) {
      // Its parts are looked at even when the patch does not name it: see plain().
      if (ours == nullptr) {
        if (theirs != nullptr) set_value(left, field.key, *theirs);
        return {};
      }
      return object(*field.object, *ours, theirs != nullptr ? *theirs : empty_mapping(), path);
    }
    return plain(field, left, ours, theirs, path);
  }

  /// Two values that are both set.
  Result<void> both(const Field& field, yaml::Node& ours, const yaml::Node& theirs,
                    const std::string& path) {
    if (field.shape == Shape::object) {
      if (theirs.is_null()) return {};
      if (ours.is_null()) {
        ours = theirs;
        return {};
      }
      return object(*field.object, ours, theirs, path);
    }
    if (field.shape == Shape::free) return merge_free(ours, theirs, path);
    if (field.shape == Shape::url) return url(ours, theirs, path);
    ours = theirs;
    return {};
  }

  /// A value that is not set when it is zero. What was zero in the patch is absent here.
  Result<void> plain(const Field& field, yaml::Node& left, yaml::Node* ours,
                     const yaml::Node* theirs, const std::string& path) {
    if (theirs == nullptr) {
      // Of these Talos cannot tell "not named" from "set to nothing", and takes the latter.
      const bool unset = field.shape == Shape::flag || field.shape == Shape::cel ||
                         field.shape == Shape::byte_size;
      if (unset) unset_value(left, field.key);
      return {};
    }
    if (ours == nullptr) {
      set_value(left, field.key, *theirs);
      return {};
    }
    if (field.shape == Shape::url) return url(*ours, *theirs, path);
    // A size keeps bytes and percents beside each other, and bytes win.
    const bool keeps_bytes =
        field.shape == Shape::size && theirs->text.ends_with('%') && !ours->text.ends_with('%');
    if (!keeps_bytes) *ours = *theirs;
    return {};
  }

  static Result<void> url(yaml::Node& ours, const yaml::Node& theirs, const std::string& path) {
    const auto before = parse_go_url(ours.text);
    const auto after = parse_go_url(theirs.text);
    const auto merged = before && after ? merge_go_urls(*before, *after) : std::nullopt;
    if (!merged) {
      return fail(Errc::invalid,
                  path + " has a user in the config and in the patch; they cannot be merged");
    }
    ours = theirs;
    ours.text = write_go_url(*merged);
    return {};
  }

  Result<void> list(const Field& field, yaml::Node& left, yaml::Node* ours,
                    const yaml::Node* theirs, const std::string& path) {
    if (theirs == nullptr) return {};
    if (ours == nullptr && field.merge_key.empty()) {
      set_value(left, field.key, *theirs);
      return {};
    }
    if (ours == nullptr) {
      set_value(left, field.key, yaml::list(std::vector<yaml::Node>{}));
      ours = find_value(left, field.key);
    }
    if (field.replace.holds(minor_)) {
      if (field.merge_key.empty()) {
        *ours = *theirs;
      } else {
        replace_items(field, *ours, *theirs);
      }
      return {};
    }
    for (const yaml::Node& item : theirs->items) {
      yaml::Node* same = field.merge_key.empty() ? nullptr : find_same(field, *ours, item);
      if (same == nullptr) {
        ours->items.push_back(item);
      } else if (auto merged = object(*field.object, *same, item, path + "[]"); !merged) {
        return merged;
      }
    }
    return {};
  }

  /// An item takes the place of the last one with its key; only what was there counts.
  static void replace_items(const Field& field, yaml::Node& ours, const yaml::Node& theirs) {
    const std::size_t count = ours.items.size();
    for (const yaml::Node& item : theirs.items) {
      std::size_t at = count;
      while (at > 0 &&
             !same_text(ours.items[at - 1].find(field.merge_key), item.find(field.merge_key))) {
        --at;
      }
      if (at > 0) {
        ours.items[at - 1] = item;
      } else {
        ours.items.push_back(item);
      }
    }
  }

  /// The item that `item` is to be merged into. A selector can also identify an interface, if it is
  /// the same in every part.
  static yaml::Node* find_same(const Field& field, yaml::Node& ours, const yaml::Node& item) {
    const yaml::Node* key = item.find(field.merge_key);
    const bool by_selector = field.merge_key == "interface" && key == nullptr;
    if (by_selector) key = item.find("deviceSelector");
    if (by_selector && key == nullptr) return nullptr;
    for (yaml::Node& candidate : ours.items) {
      const yaml::Node* other = candidate.find(by_selector ? "deviceSelector" : field.merge_key);
      if (by_selector ? same_selector(other, *key) : same_text(other, key)) return &candidate;
    }
    return nullptr;
  }

  static bool same_text(const yaml::Node* a, const yaml::Node* b) {
    return (a != nullptr ? a->text : "") == (b != nullptr ? b->text : "");
  }

  /// A selector with `physical` is never the same as another, because Talos compares the addresses
  /// of its flags.
  static bool same_selector(const yaml::Node* a, const yaml::Node& b) {
    if (a == nullptr || a->entries.size() != b.entries.size()) return false;
    if (a->find("physical") != nullptr || b.find("physical") != nullptr) return false;
    return std::all_of(b.entries.begin(), b.entries.end(), [&](const yaml::Entry& entry) {
      const yaml::Node* other = a->find(entry.key.text);
      return other != nullptr && other->text == entry.value.text;
    });
  }

  Result<void> map(const Field& field, yaml::Node& left, yaml::Node* ours, const yaml::Node* theirs,
                   const std::string& path) {
    if (theirs == nullptr) return {};
    if (ours == nullptr) {
      set_value(left, field.key, *theirs);
      return {};
    }
    for (const yaml::Entry& entry : theirs->entries) {
      yaml::Node* present = find_value(*ours, entry.key.text);
      if (present == nullptr) {
        ours->entries.push_back(entry);
      } else if (field.shape == Shape::object) {
        const std::string where = path + "." + entry.key.text;
        if (auto merged = both(field, *present, entry.value, where); !merged) return merged;
      } else if (is_replaced(field) || !is_zero(field, entry.value)) {
        *present = entry.value;
      }
    }
    return {};
  }

  /// Of these zero is a value.
  bool is_replaced(const Field& field) const {
    return field.shape == Shape::flag ||
           (field.shape == Shape::argument && rules_of(minor_).lists_arguments);
  }

  int minor_;
};

}  // namespace

Result<void> merge_document(ConfigDocument& into, const ConfigDocument& patch, int minor) {
  return Merger(minor).object(into.object(), into.value, patch.value, "");
}

}  // namespace ichor
