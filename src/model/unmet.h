#pragma once

#include <string>
#include <vector>

#include "model/finding.h"

namespace ichor {

/// One thing that does not hold yet, in one line: what, why, what to do, and the row of the fault
/// catalogue.
struct Unmet {
  std::string object;  // "DaemonSet/kube-system/cilium", "Node/w1"
  std::string reason;
  std::string fix;
  std::string fault;     // "K1"
  bool hopeless{false};  // it does not come by itself
  std::string gate{};    // that it belongs to; empty: the phase itself
  bool missing{false};   // the object does not exist

  bool operator==(const Unmet&) const = default;
};

inline Unmet missing_object(std::string object, std::string fix, std::string fault) {
  return {std::move(object), "it is not there", std::move(fix), std::move(fault), false, {}, true};
}

inline std::string to_text(const Unmet& unmet) { return unmet.object + ": " + unmet.reason; }

inline Finding finding_of(const Unmet& unmet, std::string_view gate) {
  Finding finding;
  finding.id = unmet.fault;
  finding.where = std::string(gate);
  finding.what = to_text(unmet);
  finding.fix = unmet.fix;
  return finding;
}

}  // namespace ichor
