#pragma once

#include <string>
#include <unordered_map>

#include "sim/node/config_judge.h"

namespace ichor::sim {

/// Knows the configs it was given and treats everything else as garbage. Reads no YAML, so a
/// campaign can use any bytes as a config.
class FixedJudge final : public ConfigJudge {
 public:
  /// From now on `config` means `facts`. An empty `canonical` is filled in from the bytes.
  void know(const std::string& config, ConfigFacts facts);
  /// From now on `config` is refused with this verdict.
  void refuse(const std::string& config, ConfigVerdict verdict);

  const ConfigJudgement& judge(const std::string& config, const NodeSpec& node,
                               bool in_maintenance) override;

 private:
  std::unordered_map<std::string, ConfigJudgement> known_;
};

/// What every Talos says about bytes that are no config: 1.12 in maintenance has a code and a
/// prefix of its own.
ConfigVerdict garbage_verdict(const NodeSpec& node, bool in_maintenance);

}  // namespace ichor::sim
