#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "port/files.h"

namespace ichor {

/// The files of this machine. What is read may have 4 MiB at the most.
class MachineFiles final : public Files {
 public:
  /// `temp_made` hears of every folder that make_temp_dir() makes.
  using TempMade = std::function<void(const std::string& path)>;
  explicit MachineFiles(TempMade temp_made) : temp_made_(std::move(temp_made)) {}

  std::string absolute(const std::string& path) override;
  bool has_file(const std::string& path) override;
  std::optional<std::vector<std::string>> list_folder(const std::string& path) override;
  Result<std::string> read_input(const std::string& path) override;
  Result<SecretString> read_secret(const std::string& path) override;
  Result<std::optional<std::string>> read_below(const std::string& folder,
                                                const std::string& name) override;
  Result<void> write_private(const std::string& path, const SecretString& content) override;
  Result<void> create_private(const std::string& path, const SecretString& content,
                              bool force) override;
  Result<void> create_reproducible(const std::string& path, const SecretString& content,
                                   bool force) override;
  Result<std::unique_ptr<Draft>> draft(const std::string& path) override;
  Result<std::unique_ptr<ByteSource>> open_large(const std::string& path) override;
  Result<void> remove(const std::string& path) override;
  Result<std::unique_ptr<Hold>> hold(const std::string& path) override;
  Result<void> may_export(const std::string& path) override;
  Result<void> export_secret(const std::string& path, const SecretString& content) override;
  Result<std::string> make_temp_dir() override;
  void remove_temp_dir(const std::string& path) override;

 private:
  TempMade temp_made_;
};

}  // namespace ichor
