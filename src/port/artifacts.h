#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace ichor {

/// Files that a run leaves for people and other programs: kubeconfig, talosconfig. Written whole or
/// not at all, mode 0600, with a backup of what was there.
class Artifacts {
 public:
  virtual ~Artifacts() = default;
  virtual Result<void> write(const std::string& name, const SecretString& content) = 0;
  virtual std::optional<SecretString> read(const std::string& name) = 0;
};

}  // namespace ichor
