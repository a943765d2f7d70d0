#include "sim/node/fixed_judge.h"

#include <utility>

#include "sim/node/digest.h"

namespace ichor::sim {

void FixedJudge::know(const std::string& config, ConfigFacts facts) {
  if (facts.canonical.empty()) facts.canonical = quick_digest(config);
  known_.insert_or_assign(config, ConfigJudgement(std::move(facts)));
}

void FixedJudge::refuse(const std::string& config, ConfigVerdict verdict) {
  known_.insert_or_assign(config, ConfigJudgement(tl::unexpected(std::move(verdict))));
}

const ConfigJudgement& FixedJudge::judge(const std::string& config, const NodeSpec& node,
                                         bool in_maintenance) {
  if (const auto found = known_.find(config); found != known_.end()) return found->second;
  static const ConfigJudgement plain = tl::unexpected(garbage_verdict(NodeSpec{}, false));
  static const ConfigJudgement old_maintenance = tl::unexpected(garbage_verdict(NodeSpec{}, true));
  const bool old = in_maintenance && node.personality == Personality::v1_12;
  return old ? old_maintenance : plain;
}

ConfigVerdict garbage_verdict(const NodeSpec& node, bool in_maintenance) {
  const std::string text = "error decoding document /v1alpha1/ (line 1): missing kind";
  if (in_maintenance && node.personality == Personality::v1_12) {
    return ConfigVerdict{Code::unknown, "failed to parse config: " + text};
  }
  return ConfigVerdict{Code::invalid_argument, text};
}

}  // namespace ichor::sim
