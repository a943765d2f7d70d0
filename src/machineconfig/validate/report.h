#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "machineconfig/cel/library.h"
#include "machineconfig/validate/validate.h"
#include "machineconfig/validate/view.h"

namespace ichor::validate {

/// Collects what is wrong. `what` and `fix` never repeat a secret value.
class Report {
 public:
  explicit Report(int minor) : minor_(minor) {}

  // Views keep the many callers small; most texts are literals.
  void error(const View& at, std::string_view what, std::string_view fix);
  void warning(const View& at, std::string_view what, std::string_view fix);
  /// Every problem of an expression; `name` is the key under which it stands.
  void expression(const View& at, std::string_view name, cel::Place place);

  int minor() const { return minor_; }
  const std::vector<ConfigFinding>& findings() const { return findings_; }
  std::vector<ConfigFinding> take() { return std::move(findings_); }

 private:
  int minor_;
  std::vector<ConfigFinding> findings_;
};

}  // namespace ichor::validate
