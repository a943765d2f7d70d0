#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/finding.h"

namespace ichor {

/// Writes findings of one rule.
class Reporter {
 public:
  explicit Reporter(std::vector<Finding>& findings) : findings_(findings) {}

  void error(std::string id, std::string where, std::string what, std::string fix,
             const NodeName& node = {}) {
    add(Severity::error, std::move(id), std::move(where), std::move(what), std::move(fix), node);
  }
  void warning(std::string id, std::string where, std::string what, std::string fix,
               const NodeName& node = {}) {
    add(Severity::warning, std::move(id), std::move(where), std::move(what), std::move(fix), node);
  }

 private:
  void add(Severity severity, std::string id, std::string where, std::string what, std::string fix,
           const NodeName& node) {
    findings_.push_back(
        {severity, std::move(id), node, std::move(where), std::move(what), std::move(fix)});
  }

  std::vector<Finding>& findings_;
};

}  // namespace ichor
