#include "machineconfig/patch/deletion.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "yaml/build.h"

namespace ichor {

namespace {

using schema::Field;
using schema::Form;
using schema::Object;
using schema::Shape;

std::string text_of(const yaml::Node& root, std::string_view key) {
  const yaml::Node* node = root.find(key);
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

bool is_mark(const yaml::Entry& entry) {
  return entry.key.text == "$patch" && entry.value.is_scalar() && entry.value.text == "delete";
}

std::string shown(const std::vector<std::string>& path) {
  return fmt::format("{}", fmt::join(path, "."));
}

/// Walks a patch's document, collects the marks and removes what carries them.
class Collector {
 public:
  Collector(yaml::Node& root, const Rules& rules) : root_(root) {
    const std::string kind = text_of(root, "kind");
    const std::string name = text_of(root, "name");
    const schema::DocumentKind* known = schema::Schema::get().find(kind);
    document_ = kind.empty() ? "v1alpha1" : kind;
    const bool by_kind = known != nullptr && !rules.ignores_absent_documents;
    if (by_kind ? known->named : !name.empty()) document_ += " " + name;
    const std::string version = text_of(root, "apiVersion");
    if (rules.ignores_absent_documents && !kind.empty() && version != "v1alpha1") {
      document_.insert(0, version + " ");
    }
    half_typed_ = kind.empty() != text_of(root, "apiVersion").empty();
    typed_ = !kind.empty() && !half_typed_;
  }

  tl::expected<std::vector<Deletion>, ConfigProblem> run() {
    const bool all = visit(root_, false);
    if (problem_) return tl::unexpected(*problem_);
    if (all || is_bare()) root_ = yaml::make_null();
    return std::move(found_);
  }

 private:
  /// True if nothing is left of the node.
  bool visit(yaml::Node& node, bool in_list) {
    for (std::size_t i = 0; i < node.entries.size() && !problem_;) {
      if (is_mark(node.entries[i])) {
        add(node, in_list);
        return true;
      }
      path_.push_back(node.entries[i].key.text);
      const bool gone = visit(node.entries[i].value, false);
      path_.pop_back();
      if (!gone) {
        ++i;
        continue;
      }
      node.entries.erase(node.entries.begin() + static_cast<std::ptrdiff_t>(i));
      if (node.entries.empty()) return true;
    }
    for (std::size_t i = 0; i < node.items.size() && !problem_;) {
      path_.push_back("[]");
      const bool gone = visit(node.items[i], true);
      path_.pop_back();
      if (!gone) {
        ++i;
        continue;
      }
      node.items.erase(node.items.begin() + static_cast<std::ptrdiff_t>(i));
      if (node.items.empty()) return true;
    }
    return false;
  }

  void add(const yaml::Node& node, bool in_list) {
    Deletion deletion;
    deletion.document = document_;
    deletion.path = path_;
    deletion.at = node.at;
    const bool inside_item = std::find(path_.begin(), path_.end(), "[]") != path_.end();
    if (half_typed_ || (path_.empty() && !typed_)) {
      return refuse(node, "the document with $patch: delete has no apiVersion or no kind",
                    "give both, and the name");
    }
    if (!in_list && inside_item) {
      return refuse(node,
                    fmt::format("{} is inside a list item and cannot be deleted", shown(path_)),
                    "delete the whole item and add it again");
    }
    if (in_list) {
      const auto key = std::find_if(node.entries.begin(), node.entries.end(),
                                    [](const yaml::Entry& entry) { return !is_mark(entry); });
      if (key == node.entries.end()) {
        return refuse(node, fmt::format("{}: which item is to be deleted?", shown(path_)),
                      "add a key of the item beside $patch: delete");
      }
      deletion.item_key = key->key.text;
      deletion.item_value = key->value.is_scalar() ? key->value.text : "";
    }
    found_.push_back(std::move(deletion));
  }

  void refuse(const yaml::Node& at, std::string what, std::string fix) {
    if (!problem_) problem_ = ConfigProblem{at.at, std::move(what), std::move(fix)};
  }

  /// Talos takes these for an empty document. With an apiVersion it is merged, which matters for
  /// what a merge resets.
  bool is_bare() const {
    return root_.is_mapping() &&
           std::all_of(root_.entries.begin(), root_.entries.end(), [](const yaml::Entry& entry) {
             const std::string& key = entry.key.text;
             return entry.value.is_scalar() && (key == "version" || key == "kind" || key == "name");
           });
  }

  yaml::Node& root_;
  std::string document_;
  bool half_typed_{false};
  bool typed_{false};
  std::vector<std::string> path_;
  std::vector<Deletion> found_;
  std::optional<ConfigProblem> problem_;
};

yaml::Node* find_value(yaml::Node& mapping, std::string_view key) {
  return const_cast<yaml::Node*>(static_cast<const yaml::Node&>(mapping).find(key));
}

bool remove_key(yaml::Node& mapping, std::string_view key) {
  return std::erase_if(mapping.entries,
                       [&](const yaml::Entry& entry) { return entry.key.text == key; }) > 0;
}

/// Follows a deletion's path through a document; each function answers whether it was found.
class Deleter {
 public:
  explicit Deleter(const Deletion& deletion) : deletion_(deletion) {}

  bool object(const Object& type, yaml::Node& value, std::size_t depth) const {
    if (depth == deletion_.path.size()) return false;
    const std::string& key = deletion_.path[depth];
    const Field* field = type.find(key);
    if (field == nullptr) return false;
    if (depth + 1 == deletion_.path.size()) {
      remove_key(value, key);
      return true;
    }
    yaml::Node* inner = find_value(value, key);
    if (inner != nullptr) return whole(*field, *inner, depth + 1);
    // An object that is not distinguished from an empty one is always there.
    const bool there = field->form == Form::one && !field->pointer && field->shape == Shape::object;
    yaml::Node empty = yaml::map();
    return there && whole(*field, empty, depth + 1);
  }

 private:
  bool whole(const Field& field, yaml::Node& value, std::size_t depth) const {
    if (field.form == Form::list) return item(field, value, depth);
    if (field.form == Form::one) return one(field, value, depth);
    const std::string& key = deletion_.path[depth];
    if (depth + 1 == deletion_.path.size()) return remove_key(value, key);
    yaml::Node* inner = find_value(value, key);
    return inner != nullptr && one(field, *inner, depth + 1);
  }

  bool one(const Field& field, yaml::Node& value, std::size_t depth) const {
    if (field.shape == Shape::object) return object(*field.object, value, depth);
    return field.shape == Shape::free && free(value, depth);
  }

  bool free(yaml::Node& value, std::size_t depth) const {
    if (!value.is_mapping() || depth == deletion_.path.size()) return false;
    const std::string& key = deletion_.path[depth];
    if (depth + 1 == deletion_.path.size()) return remove_key(value, key);
    yaml::Node* inner = find_value(value, key);
    return inner != nullptr && free(*inner, depth + 1);
  }

  /// A text that Talos can print identifies an item; a plain number does not.
  bool item(const Field& field, yaml::Node& list, std::size_t depth) const {
    if (field.shape != Shape::object || depth + 1 != deletion_.path.size()) return false;
    if (deletion_.path[depth] != "[]") return false;
    const Field* key = field.object->find(deletion_.item_key);
    if (key == nullptr || key->form != Form::one) return false;
    constexpr std::array shapes = {
        Shape::text,      Shape::address, Shape::prefix,        Shape::address_port,
        Shape::choice,    Shape::url,     Shape::file_mode,     Shape::duration,
        Shape::hex_bytes, Shape::cel,     Shape::routing_table,
    };
    const bool comparable = std::find(shapes.begin(), shapes.end(), key->shape) != shapes.end();
    if (!comparable) return false;
    const auto found = std::find_if(list.items.begin(), list.items.end(), [&](const auto& item) {
      const yaml::Node* value = item.find(key->key);
      return (value != nullptr ? value->text : "") == deletion_.item_value;
    });
    if (found == list.items.end()) return false;
    list.items.erase(found);
    return true;
  }

  const Deletion& deletion_;
};

}  // namespace

tl::expected<std::vector<Deletion>, ConfigProblem> take_deletions(yaml::Node& root,
                                                                  const Rules& rules) {
  if (!root.is_mapping()) return std::vector<Deletion>{};
  return Collector(root, rules).run();
}

Result<void> apply_deletion(const Deletion& deletion, const Rules& rules,
                            ConfigDocuments& documents) {
  const auto document = std::find_if(
      documents.begin(), documents.end(),
      [&](const ConfigDocument& candidate) { return candidate.id() == deletion.document; });
  if (document == documents.end()) {
    if (rules.ignores_absent_documents) return {};
    return fail(Errc::invalid, fmt::format("there is no {} to delete from", deletion.document));
  }
  if (deletion.path.empty()) {
    documents.erase(document);
    return {};
  }
  if (Deleter(deletion).object(document->object(), document->value, 0)) return {};
  const bool item = deletion.path.back() == "[]";
  return fail(
      Errc::invalid,
      fmt::format("{}{} is not in the config's {}, so it cannot be deleted", shown(deletion.path),
                  item ? fmt::format(" with the given {}", deletion.item_key) : "",
                  deletion.document));
}

}  // namespace ichor
