#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "port/kube_client.h"

namespace ichor::sim {

/// Paths of fields as JSON pointers: "/data/token". What the server itself writes (identity,
/// versions, status) has no owner.
using FieldPaths = std::set<std::string>;

/// Which manager has which fields of one object, as metadata.managedFields says it.
using FieldOwners = std::map<std::string, FieldPaths, std::less<>>;

FieldPaths fields_of(const KubeObject& object);

/// A field that another manager has with another value.
struct FieldConflict {
  std::string manager;
  std::string path;
  bool operator==(const FieldConflict&) const = default;
};

/// What a server-side apply comes to. With conflicts and without force nothing of it may be kept.
struct Merge {
  KubeObject object;
  FieldOwners owners;
  std::vector<FieldConflict> conflicts;
};

/// Server-side apply of `applied` by `manager` onto `live`, which may be null. Lists are taken
/// whole. A field that the manager had and no longer sends goes away, unless another manager has it
/// as well; force takes fields from their owners. An empty map says that there is a map, and leaves
/// what others have in it.
Merge merge_applied(const KubeObject* live, const FieldOwners& owners, const KubeObject& applied,
                    std::string_view manager, bool force);

/// An update by `manager`: what it changed is its own from now on.
void take_changed(const KubeObject* before, const KubeObject& now, std::string_view manager,
                  FieldOwners& owners);

/// The field as the server words it: ".metadata.labels.example.org/tier".
std::string to_text(const FieldConflict& conflict);
/// All of them: `Apply failed with 1 conflict: conflict with "kubectl": .data.token`.
std::string to_text(const std::vector<FieldConflict>& conflicts);

}  // namespace ichor::sim
