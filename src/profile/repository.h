#pragma once

#include <string>

#include "base/result.h"
#include "port/files.h"

namespace ichor {

/// The files that a profile may name: those of its git work tree, or of its own folder where there
/// is none. A profile comes from a repository that may be anybody's, and what is read on its word
/// is shown in findings: without this it could show any file of this machine.
class Repository {
 public:
  /// `folder` is the profile's, as profile_folder() gives it.
  Repository(const std::string& folder, Files& files);

  /// Reads a file below the root. Errc::unsafe if the path, or a link on it, leads out;
  /// Errc::invalid if there is none.
  Result<std::string> read(const std::string& path) const;

  const std::string& root() const { return root_; }

 private:
  std::string root_;
  Files& files_;
};

}  // namespace ichor
