#pragma once

#include <string>

#include "phase/phase.h"

namespace ichor {

/// A decision for a test to compare: "Upgrade cp1", "wait REASON", "stop ID", "remember KEY NODE"
/// or "satisfied".
inline std::string words_of(const Decision& decision) {
  if (const Act* act = std::get_if<Act>(&decision)) {
    const Action& first = act->actions.front();
    if (const auto* call = std::get_if<NodeCall>(&first)) {
      return std::string(name_of(call->call)) + " " + call->node.value();
    }
    return key_of(first);
  }
  if (const Wait* wait = std::get_if<Wait>(&decision)) return "wait " + wait->reason;
  if (const Stop* stop = std::get_if<Stop>(&decision)) return "stop " + stop->finding.id;
  if (const Remember* remember = std::get_if<Remember>(&decision)) {
    return "remember " + remember->record.key + " " + remember->record.node.value();
  }
  return "satisfied";
}

}  // namespace ichor
