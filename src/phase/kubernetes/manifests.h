#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "port/kube_client.h"
#include "yaml/node.h"

namespace ichor {

/// The same data as JSON, with the types of YAML's core schema.
KubeObject json_of(const yaml::Node& node);

/// The objects of a text with one or more YAML or JSON documents; empty documents are skipped, the
/// items of a List are taken out. `where` names the text in errors.
Result<std::vector<KubeObject>> objects_of(std::string_view text, const std::string& where);

/// Only those of this kind.
std::vector<KubeObject> only_kind(std::vector<KubeObject> objects, std::string_view kind);

/// A Secret with `stringData` put into `data`, as the server would: then what is sent can be
/// compared with what is there.
KubeObject encoded_secret(KubeObject secret);

/// `over` laid onto `under` as helm does with values: mappings are merged, all else is replaced.
void merge_values(KubeObject& under, const KubeObject& over);

}  // namespace ichor
