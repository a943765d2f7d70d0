#pragma once

#include <memory>
#include <string>

#include "os/durable_file.h"
#include "port/artifacts.h"

namespace ichor {

/// A cluster's state folder: mode 0700, kept out of git by a file of its own. What a run leaves is
/// kept here; copies for other programs are made from it.
class FileArtifacts final : public Artifacts {
 public:
  /// Makes the folder if it is missing.
  static Result<std::unique_ptr<FileArtifacts>> make(const std::string& path);
  /// Errc::invalid if it is missing.
  static Result<std::unique_ptr<FileArtifacts>> open(const std::string& path);

  Result<void> write(const std::string& name, const SecretString& content) override;
  /// Nothing also if the file cannot be read: then it is written again, and that says why.
  std::optional<SecretString> read(const std::string& name) override;

  /// As read(), but trouble differs from a file that is missing.
  Result<std::optional<SecretString>> load(const std::string& name) const;

  /// Writes a file that must not exist yet; false if it does.
  Result<bool> create(const std::string& name, const SecretString& content) const;

  const std::string& path() const { return folder_.path(); }

 private:
  explicit FileArtifacts(Folder folder) : folder_(std::move(folder)) {}

  Folder folder_;
};

}  // namespace ichor
