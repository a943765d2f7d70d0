#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machineconfig/schema.h"
#include "model/finding.h"
#include "yaml/node.h"

namespace ichor {

/// Where a machine config is to be used.
enum class RuntimeMode { metal, cloud, container };

struct ValidateOptions {
  RuntimeMode mode{RuntimeMode::metal};
  /// Warnings about the v1alpha1 document are errors. Those about typed documents remain warnings,
  /// as in Talos.
  bool strict{false};
  /// Of Talos 1.x; an older one than the schema knows is taken for the oldest that it knows.
  /// Without one, the config itself shows whose rules hold.
  std::optional<int> minor;
};

/// What is wrong with a config, and where. `what` and `fix` never repeat a secret value.
struct ConfigFinding {
  Severity severity{Severity::error};
  yaml::Position at;
  std::string what;
  std::string fix;
};

/// What Talos would say of a machine config before it is applied: it refuses the config exactly if
/// there is a finding of Severity::error. All findings come at once, in the order of the file. A
/// document that cannot be read is not looked into any further.
std::vector<ConfigFinding> validate_config(std::string_view text, const ValidateOptions& options);

}  // namespace ichor
