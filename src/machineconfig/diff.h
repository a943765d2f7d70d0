#pragma once

#include <string>
#include <vector>

#include "machineconfig/typed_config.h"

namespace ichor {

/// One place at which two machine configs differ. Secret values are shown as "(secret)".
struct ConfigDifference {
  std::string document;  // "v1alpha1", "BondConfig bond0"
  std::string path;      // "machine.network.interfaces[0].mtu"; empty: the whole document
  std::string before;    // empty: not there
  std::string after;
};

/// How `right` differs from `left` in meaning: order of documents and keys, comments and notation
/// do not count. Both are compared in the form in which Talos writes them.
std::vector<ConfigDifference> diff_configs(const ConfigDocuments& left,
                                           const ConfigDocuments& right);

}  // namespace ichor
