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

NeededRelease needed_release(std::string_view config) {
  NeededRelease needed;
  auto documents = yaml::parse(config, "config");
  if (!documents) return needed;
  const schema::Schema& schema = schema::Schema::get();
  for (yaml::Document& document : *documents) {
    const yaml::Node* kind = document.root.find("kind");
    if (kind == nullptr) {
      walk(schema.config(), document.root, "", needed);
    } else if (const schema::DocumentKind* known = schema.find(kind->text)) {
      need(known->since_minor, fmt::format("the document {}", known->kind), needed);
      walk(known->object, document.root, known->kind, needed);
    }
    yaml::wipe(document.root);
  }
  return needed;
}

}  // namespace ichor
