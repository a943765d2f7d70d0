#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "port/artifacts.h"
#include "port/journal.h"

namespace ichor {

/// A cluster's state folder.
class ClusterState {
 public:
  virtual ~ClusterState() = default;
  virtual const std::string& path() const = 0;
  virtual Artifacts& files() = 0;
  /// Nothing if there is no such file; what cannot be read is an error.
  virtual Result<std::optional<SecretString>> load(const std::string& name) = 0;
  /// Writes a file that must not exist yet; false if it does, and then it is left alone.
  virtual Result<bool> create(const std::string& name, const SecretString& content) = 0;
  virtual Journal& journal() = 0;
  /// Whether another machine started the journal: then it may be outdated, and nothing may be
  /// changed on its word before adopt() says that this machine goes on with it.
  virtual bool copied() = 0;
  virtual Result<void> adopt(const LockOwner& owner) = 0;
};

/// The state folders of this computer.
class ClusterStates {
 public:
  virtual ~ClusterStates() = default;

  enum class Missing { make, refuse };
  virtual Result<std::unique_ptr<ClusterState>> open_state(const std::string& path,
                                                           Missing missing) = 0;
};

}  // namespace ichor
