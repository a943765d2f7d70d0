#pragma once

#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/finding.h"
#include "model/journal_facts.h"
#include "model/node_view.h"

namespace ichor {

/// What a node is compared with.
struct Expected {
  const ClusterProfile& profile;
  const ConfigSet& configs;  // empty: its config is not compared
  const JournalFacts& facts;
};

/// Everything that is unmet on one node, each with its row of the catalogue. Pure: the view is all
/// that is known. An error is what keeps the node from its goal; a note is what one should know.
std::vector<Finding> examine_node(const Expected& expected, const NodePlan& plan,
                                  const NodeView& view);

/// A finding of this row, with the row's cause and first steps in it, made out to the node.
Finding finding_of(std::string_view fault, const NodeName& node, std::string where,
                   std::string what);

}  // namespace ichor
