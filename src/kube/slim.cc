#include "kube/slim.h"

#include "model/json.h"

namespace ichor {

bool slim(KubeObject& object) {
  if (!object.is_object()) return false;
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return false;
  metadata->erase("managedFields");
  if (text_in(object, "kind") != "CustomResourceDefinition") return true;
  const auto spec = object.find("spec");
  if (spec == object.end() || !spec->is_object()) return true;
  const auto versions = spec->find("versions");
  if (versions == spec->end() || !versions->is_array()) return true;
  for (KubeObject& version : *versions) {
    if (version.is_object()) version.erase("schema");
  }
  return true;
}

}  // namespace ichor
