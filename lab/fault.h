#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/ids.h"

namespace ichor::lab {

/// One way in which a lab node can be made to misbehave.
struct FaultKind {
  std::string_view name;     // "lost-reply"
  std::string_view row;      // the row of the fault catalogue, "N3"
  std::string_view summary;  // one line for --help
  bool lasts;                // goes on until its duration is over or "clear" is injected
  bool of_call{false};       // strikes one call: the next change, or the method that is named
};
const std::vector<FaultKind>& fault_kinds();

/// A fault on a node. "clear" ends all that last.
struct Injection {
  NodeName node;  // empty: every node
  std::string fault;
  Duration lasts{};    // in the lab's time; zero: until cleared
  std::string call{};  // for faults of one call: the method's name; empty: any change
};

struct ScheduledFault {
  Duration at{};  // after the start, in the lab's time
  Injection injection;
};

/// A list of `{at: 30s, node: cp1, fault: reboot, for: 10s}` in YAML.
Result<std::vector<ScheduledFault>> read_fault_plan(const std::string& text,
                                                    const std::string& file_name);
/// A plan drawn from a seed: the same one for the same nodes. Only faults that pass by themselves.
std::vector<ScheduledFault> draw_fault_plan(std::uint64_t seed, const std::vector<NodeName>& nodes);

}  // namespace ichor::lab
