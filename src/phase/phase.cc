#include "phase/phase.h"

#include <fmt/format.h>

#include "wait/retry_table.h"

namespace ichor {

Wait wait_for_node(const NodePlan& plan, const NodeView& view) {
  if (!view.trouble) return {fmt::format("{} has not answered yet", plan.name.value())};
  return {fmt::format("{}: {}", plan.name.value(), to_text(*view.trouble))};
}

std::optional<Decision> decide_presence(const NodePlan& plan, const NodeView& view) {
  switch (view.presence) {
    case Presence::maintenance:
    case Presence::configured: return std::nullopt;
    case Presence::silent: return wait_for_node(plan, view);
    case Presence::foreign: {
      const RetryRule& rule = rule_for(*view.trouble);
      return Stop{
          Finding{Severity::error, std::string(rule.fault), plan.name, "handshake",
                  fmt::format("the TLS handshake with {} at {} failed: {}", plan.name.value(),
                              view.address.value(), to_text(*view.trouble)),
                  std::string(rule.hint)},
          true};
    }
    case Presence::stranger:
      return Stop{Finding{Severity::error, "D8", plan.name, "identity",
                          fmt::format("the machine that answers at {} is not {}: {}",
                                      view.address.value(), plan.name.value(),
                                      view.identity ? encode_identity(*view.identity, {})
                                                    : std::string("identity unread")),
                          "check for two machines with one address, and mac, uuid and ip of the "
                          "node in the profile; `--address NODE=IP` gives its address"},
                  true};
  }
  return std::nullopt;
}

}  // namespace ichor
