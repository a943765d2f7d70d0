#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "sim/node/config_judge.h"

namespace ichor::lab {

/// Reads real machine configs as Talos does: what its decoder refuses and the more common findings
/// of its validation are said in its words (talos-api.md 3.4). Keys are known down to the second
/// level of the main document; deeper ones, and the fields of other documents, are not judged.
class TalosJudge final : public sim::ConfigJudge {
 public:
  const sim::ConfigJudgement& judge(const std::string& config, const sim::NodeSpec& node,
                                    bool in_maintenance) override;

 private:
  std::unordered_map<std::string, std::unique_ptr<sim::ConfigJudgement>> known_;
};

}  // namespace ichor::lab
