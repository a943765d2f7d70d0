#include "machineconfig/needed_release.h"

#include <fmt/format.h>

#include "machineconfig/schema.h"
#include "yaml/document.h"

namespace ichor {

namespace {

using schema::Field;
using schema::Form;
using schema::Object;

void need(int minor, std::string what, NeededRelease& needed) {
  if (minor <= needed.minor) return;
  needed = {minor, std::move(what)};
}

void walk(const Object& object, const yaml::Node& node, const std::string& path,
          NeededRelease& needed) {
  for (const yaml::Entry& entry : node.entries) {
    const Field* field = object.find(entry.key.text);
    if (field == nullptr) continue;
    const std::string below = path.empty() ? field->key : path + "." + field->key;
    need(field->since_minor, below, needed);
    if (field->object == nullptr) continue;
    switch (field->form) {
      case Form::one: walk(*field->object, entry.value, below, needed); break;
      case Form::list:
        for (const yaml::Node& item : entry.value.items) walk(*field->object, item, below, needed);
        break;
      case Form::map:
        for (const yaml::Entry& item : entry.value.entries) {
          walk(*field->object, item.value, below, needed);
        }
        break;
    }
  }
}

}  // namespace

NeededRelease needed_release(const std::vector<yaml::Node>& roots) {
  NeededRelease needed;
  const schema::Schema& schema = schema::Schema::get();
  for (const yaml::Node& root : roots) {
    const yaml::Node* kind = root.find("kind");
    if (kind == nullptr) {
      walk(schema.config(), root, "", needed);
    } else if (const schema::DocumentKind* known = schema.find(kind->text)) {
      need(known->since_minor, fmt::format("the document {}", known->kind), needed);
      walk(known->object, root, known->kind, needed);
    }
  }
  return needed;
}

NeededRelease needed_release(std::string_view config) {
  auto documents = yaml::parse(config, "config");
  if (!documents) return {};
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *documents) roots.push_back(std::move(document.root));
  const NeededRelease needed = needed_release(roots);
  for (yaml::Node& root : roots) yaml::wipe(root);
  return needed;
}

}  // namespace ichor
