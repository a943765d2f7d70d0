#pragma once

#include <regex>
#include <string>

#include "cosi_state.pb.h"
#include "lab/cosi/kinds.h"
#include "lab/talos/exchange.h"

namespace ichor::lab {

/// The kind of a resource that the caller may read, in the order in which Talos looks: the type
/// must be known, secrets are for administrators, the namespace must be known.
sim::Answer<const ResourceKind*> readable_kind(Exchange& exchange, const std::string& space,
                                               const std::string& type);

/// What a machine has of a kind at this moment.
const ResourceTable::ById& current_resources(Site& site, Machine& machine,
                                             const ResourceKind& kind);

cosi::resource::Resource to_wire(const ResourceKind& kind, const StoredResource& resource);

/// Which resources of a kind a list or a watch is about.
class ResourceFilter {
 public:
  using LabelQueries = google::protobuf::RepeatedPtrField<cosi::resource::LabelQuery>;

  /// What machined finds wrong with the queries, before it looks at the type.
  static sim::Answer<void> judge(const LabelQueries& labels, const std::string& id_pattern);

  ResourceFilter(std::string space, const LabelQueries& labels, const std::string& id_pattern);
  bool takes(const StoredResource& resource) const;

 private:
  std::string space_;
  bool any_label_;
  bool has_pattern_;
  std::regex pattern_;
};

/// Serves a watch for as long as the call is open.
void start_watch(Exchange& exchange, const ResourceKind& kind,
                 const cosi::resource::WatchRequest& request);

}  // namespace ichor::lab
