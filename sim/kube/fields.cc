#include "sim/kube/fields.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ichor::sim {

namespace {

using Pointer = KubeObject::json_pointer;

constexpr std::array<std::string_view, 3> kOfServer{"apiVersion", "kind", "status"};
constexpr std::array<std::string_view, 8> kOfServerMetadata{
    "name",       "namespace",         "uid",           "resourceVersion",
    "generation", "creationTimestamp", "managedFields", "deletionTimestamp"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string step(const std::string& path, const std::string& key) {
  std::string escaped = path + "/";
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// What an object says, by the paths of its fields.
using FieldValues = std::map<std::string, const KubeObject*>;

void collect(const KubeObject& value, const std::string& path, FieldValues& values) {
  if (!value.is_object() || value.empty()) {
    values.emplace(path, &value);
    return;
  }
  for (const auto& [key, inner] : value.items()) {
    if (path == "/metadata" && among(kOfServerMetadata, key)) continue;
    collect(inner, step(path, key), values);
  }
}

FieldValues values_of(const KubeObject& object) {
  FieldValues values;
  for (const auto& [key, inner] : object.items()) {
    if (!among(kOfServer, key)) collect(inner, step("", key), values);
  }
  values.erase("/metadata");
  return values;
}

FieldPaths paths_of(const FieldValues& values) {
  FieldPaths paths;
  for (const auto& [path, value] : values) paths.insert(paths.end(), path);
  return paths;
}

/// Fields lie in objects only, so a path is keys between slashes.
const KubeObject* value_at(const KubeObject* object, std::string_view path) {
  std::string key;
  while (object && !path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    key = path.substr(0, end);
    path.remove_prefix(end);
    if (key.find('~') != key.npos) key = Pointer("/" + key).back();
    if (!object->is_object()) return nullptr;
    const auto found = object->find(key);
    object = found == object->end() ? nullptr : &*found;
  }
  return object;
}

/// An empty map asks for no more than a map: what is in it is not its business.
bool says(const KubeObject* object, std::string_view path, const KubeObject& value) {
  const KubeObject* there = value_at(object, path);
  if (!there) return false;
  if (value.is_object() && value.empty()) return there->is_object();
  return *there == value;
}

/// Whether a path is the other or lies within it.
bool within(const std::string& path, const std::string& outer) {
  if (!path.starts_with(outer)) return false;
  return path.size() == outer.size() || path[outer.size()] == '/';
}

/// Whether a write of `path` changes what the owner of `owned` has. The owner of a map has not what
/// others put in it.
bool changes(const KubeObject* live, const std::string& path, const std::string& owned) {
  if (within(owned, path)) return true;
  if (!within(path, owned)) return false;
  const KubeObject* there = value_at(live, owned);
  return !there || !there->is_object();
}

bool owned_by_others(const FieldOwners& owners, std::string_view manager, const std::string& path) {
  return std::any_of(owners.begin(), owners.end(), [&](const auto& entry) {
    return entry.first != manager &&
           std::any_of(entry.second.begin(), entry.second.end(),
                       [&](const std::string& owned) { return within(owned, path); });
  });
}

void add_once(std::vector<FieldConflict>& conflicts, FieldConflict conflict) {
  if (std::find(conflicts.begin(), conflicts.end(), conflict) != conflicts.end()) return;
  conflicts.push_back(std::move(conflict));
}

/// Takes a field away, and what is empty without it.
void erase_field(KubeObject& object, const std::string& path) {
  Pointer pointer(path);
  if (!object.contains(pointer)) return;
  while (!pointer.empty()) {
    const std::string last = pointer.back();
    pointer.pop_back();
    KubeObject& parent = pointer.empty() ? object : object[pointer];
    parent.erase(last);
    if (!parent.empty()) return;
  }
}

}  // namespace

FieldPaths fields_of(const KubeObject& object) { return paths_of(values_of(object)); }

Merge merge_applied(const KubeObject* live, const FieldOwners& owners, const KubeObject& applied,
                    std::string_view manager, bool force) {
  Merge merge;
  merge.object = live ? *live : KubeObject::object();
  merge.owners = owners;
  const FieldValues sent = values_of(applied);
  for (const auto& [path, value] : sent) {
    if (says(live, path, *value)) continue;
    for (auto& [other, owned] : merge.owners) {
      if (other == manager) continue;
      for (auto field = owned.begin(); field != owned.end();) {
        const bool meets = changes(live, path, *field);
        if (meets) add_once(merge.conflicts, {other, *field});
        field = meets && force ? owned.erase(field) : std::next(field);
      }
    }
  }
  if (!merge.conflicts.empty() && !force) return merge;
  FieldPaths& own = merge.owners[std::string(manager)];
  for (const std::string& path : own) {
    if (sent.contains(path) || owned_by_others(merge.owners, manager, path)) continue;
    erase_field(merge.object, path);
  }
  own = paths_of(sent);
  for (const auto& [path, value] : sent) {
    if (!says(&merge.object, path, *value)) merge.object[Pointer(path)] = *value;
  }
  for (const char* key : {"apiVersion", "kind"}) merge.object[key] = applied[key];
  for (const char* key : {"name", "namespace"}) {
    const KubeObject& metadata = applied["metadata"];
    if (metadata.contains(key)) merge.object["metadata"][key] = metadata[key];
  }
  std::erase_if(merge.owners, [](const auto& entry) { return entry.second.empty(); });
  return merge;
}

void take_changed(const KubeObject* before, const KubeObject& now, std::string_view manager,
                  FieldOwners& owners) {
  const FieldValues present = values_of(now);
  for (auto& [other, owned] : owners) {
    std::erase_if(owned, [&](const std::string& path) { return !present.contains(path); });
  }
  FieldPaths changed;
  for (const auto& [path, value] : present) {
    if (!says(before, path, *value)) changed.insert(path);
  }
  for (auto& [other, owned] : owners) {
    if (other == manager) continue;
    std::erase_if(owned, [&](const std::string& path) { return changed.contains(path); });
  }
  if (!changed.empty()) owners[std::string(manager)].merge(changed);
  std::erase_if(owners, [](const auto& entry) { return entry.second.empty(); });
}

std::string to_text(const FieldConflict& conflict) {
  std::string text;
  for (std::size_t at = 0; at < conflict.path.size(); ++at) {
    const char c = conflict.path[at];
    if (c == '~' && at + 1 < conflict.path.size()) {
      text += conflict.path[++at] == '1' ? '/' : '~';
    } else {
      text += c == '/' ? '.' : c;
    }
  }
  return text;
}

std::string to_text(const std::vector<FieldConflict>& conflicts) {
  if (conflicts.size() == 1) {
    return fmt::format("Apply failed with 1 conflict: conflict with \"{}\": {}",
                       conflicts.front().manager, to_text(conflicts.front()));
  }
  std::map<std::string_view, std::string> lines;
  for (const FieldConflict& conflict : conflicts) {
    lines[conflict.manager] += "\n- " + to_text(conflict);
  }
  std::string text = fmt::format("Apply failed with {} conflicts:", conflicts.size());
  for (const auto& [manager, fields] : lines) {
    text += fmt::format("{}conflicts with \"{}\":{}", text.ends_with(':') ? " " : "\n", manager,
                        fields);
  }
  return text;
}

}  // namespace ichor::sim
