#include "machineconfig/diff.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/clean_text.h"
#include "base/redact.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

using schema::Field;
using schema::Form;
using schema::Object;
using schema::Shape;

constexpr std::string_view kHidden = "(secret)";

/// The value on one line.
std::string flat(const yaml::Node& node) {
  constexpr std::size_t length_max = 200;
  if (node.is_mapping()) {
    std::vector<std::string> parts;
    for (const yaml::Entry& entry : node.entries) {
      parts.push_back(entry.key.text + ": " + flat(entry.value));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  if (node.is_sequence()) {
    std::vector<std::string> parts;
    for (const yaml::Node& item : node.items) parts.push_back(flat(item));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  std::string text = node.is_null() ? "null" : node.text;
  if (text.empty()) return "\"\"";
  text = redact_urls(clean_text(text, std::string::npos));
  if (text.size() > length_max) text = clean_text(text, length_max) + "...";
  return text;
}

/// A copy in which secrets are hidden, by the schema.
yaml::Node redacted(const Object& type, const yaml::Node& value);

yaml::Node redacted_one(const Field& field, const yaml::Node& value) {
  const bool empty = value.is_null() || (value.kind == yaml::Kind::scalar && value.text.empty());
  if (field.secret && !empty) return yaml::make_string(kHidden);
  return field.object != nullptr && value.is_mapping() ? redacted(*field.object, value) : value;
}

yaml::Node redacted_whole(const Field& field, const yaml::Node& value) {
  if (field.form == Form::one) return redacted_one(field, value);
  yaml::Node out;
  out.kind = value.kind;
  for (const yaml::Node& item : value.items) out.items.push_back(redacted_one(field, item));
  for (const yaml::Entry& entry : value.entries) {
    out.entries.push_back({entry.key, redacted_one(field, entry.value)});
  }
  return out;
}

yaml::Node redacted(const Object& type, const yaml::Node& value) {
  yaml::Node out;
  out.kind = value.kind;
  for (const yaml::Entry& entry : value.entries) {
    const Field* field = type.find(entry.key.text);
    out.entries.push_back(
        {entry.key, field != nullptr ? redacted_whole(*field, entry.value) : entry.value});
  }
  return out;
}

class Comparer {
 public:
  explicit Comparer(std::string document) : document_(std::move(document)) {}

  void object(const Object& type, const yaml::Node& left, const yaml::Node& right,
              const std::string& path) {
    for (const Field& field : type.fields) {
      const std::string where = path.empty() ? field.key : path + "." + field.key;
      whole(field, left.find(field.key), right.find(field.key), where);
    }
  }

  std::vector<ConfigDifference> take() { return std::move(found_); }

 private:
  void whole(const Field& field, const yaml::Node* left, const yaml::Node* right,
             const std::string& path) {
    if (left == nullptr || right == nullptr || left->kind != right->kind) {
      if (left != right) add(field, left, right, path);
      return;
    }
    if (left->is_sequence()) return list(field, *left, *right, path);
    if (left->is_mapping()) return mapping(field, *left, *right, path);
    if (left->text != right->text || left->scalar_type() != right->scalar_type()) {
      add(field, left, right, path);
    }
  }

  void list(const Field& field, const yaml::Node& left, const yaml::Node& right,
            const std::string& path) {
    const Field item = item_of(field);
    const std::size_t count = std::max(left.items.size(), right.items.size());
    for (std::size_t i = 0; i < count; ++i) {
      whole(item, i < left.items.size() ? &left.items[i] : nullptr,
            i < right.items.size() ? &right.items[i] : nullptr, fmt::format("{}[{}]", path, i));
    }
  }

  void mapping(const Field& field, const yaml::Node& left, const yaml::Node& right,
               const std::string& path) {
    if (field.form == Form::one && field.object != nullptr) {
      return object(*field.object, left, right, path);
    }
    const Field item = item_of(field);
    for (const yaml::Entry& entry : left.entries) {
      whole(item, &entry.value, right.find(entry.key.text), path + "." + entry.key.text);
    }
    for (const yaml::Entry& entry : right.entries) {
      if (left.find(entry.key.text) == nullptr) {
        whole(item, nullptr, &entry.value, path + "." + entry.key.text);
      }
    }
  }

  static Field item_of(const Field& field) {
    Field item = field;
    item.form = Form::one;
    return item;
  }

  void add(const Field& field, const yaml::Node* left, const yaml::Node* right,
           const std::string& path) {
    const auto shown = [&](const yaml::Node* node) {
      return node != nullptr ? flat(redacted_whole(field, *node)) : std::string();
    };
    found_.push_back({document_, path, shown(left), shown(right)});
  }

  std::string document_;
  std::vector<ConfigDifference> found_;
};

const ConfigDocument* find(const ConfigDocuments& documents, const std::string& id) {
  const auto found = std::find_if(documents.begin(), documents.end(),
                                  [&](const ConfigDocument& one) { return one.id() == id; });
  return found != documents.end() ? &*found : nullptr;
}

yaml::Node written(const ConfigDocument& document) {
  return write_config({document}, schema::Schema::kNewestMinor).front();
}

}  // namespace

std::vector<ConfigDifference> diff_configs(const ConfigDocuments& left,
                                           const ConfigDocuments& right) {
  std::vector<ConfigDifference> found;
  for (const ConfigDocument& ours : left) {
    const ConfigDocument* theirs = find(right, ours.id());
    if (theirs == nullptr) {
      found.push_back({ours.id(), "", flat(redacted(ours.object(), written(ours))), ""});
      continue;
    }
    Comparer comparer(ours.id());
    comparer.object(ours.object(), written(ours), written(*theirs), "");
    for (ConfigDifference& one : comparer.take()) found.push_back(std::move(one));
  }
  for (const ConfigDocument& theirs : right) {
    if (find(left, theirs.id()) != nullptr) continue;
    found.push_back({theirs.id(), "", "", flat(redacted(theirs.object(), written(theirs)))});
  }
  return found;
}

}  // namespace ichor
