#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "port/byte_stream.h"

namespace ichor {

/// The files of this computer. Sizes have limits; what is written is there whole or not at all.
class Files {
 public:
  virtual ~Files() = default;

  /// A path that means the same in another working folder.
  virtual std::string absolute(const std::string& path) = 0;
  /// Whether there is such a file; what cannot be looked at is not there.
  virtual bool has_file(const std::string& path) = 0;
  /// The names in a folder that the operator named, sorted, without those that begin with a dot;
  /// nothing if there is no such folder.
  virtual std::optional<std::vector<std::string>> list_folder(const std::string& path) = 0;

  /// Files that the operator named.
  virtual Result<std::string> read_input(const std::string& path) = 0;
  virtual Result<SecretString> read_secret(const std::string& path) = 0;
  /// A file below a folder; nothing if there is none. Errc::unsafe if a link leads out of it.
  virtual Result<std::optional<std::string>> read_below(const std::string& folder,
                                                        const std::string& name) = 0;

  /// Writes a file whole or not at all, readable by its owner only; what was there is gone.
  virtual Result<void> write_private(const std::string& path, const SecretString& content) = 0;
  /// Writes a file that only this user may read, made with its folder. What stands there already is
  /// left alone and refused with Errc::invalid, or with `force` kept beside it as a backup.
  virtual Result<void> create_private(const std::string& path, const SecretString& content,
                                      bool force) = 0;
  /// The same for what can be made again at any time: it is not synced, so that a hundred files
  /// cost no hundred waits, and a power cut may take it.
  virtual Result<void> create_reproducible(const std::string& path, const SecretString& content,
                                           bool force) = 0;

  /// A large file that is written piece by piece, as PATH.part and for this user only. keep() syncs
  /// it and gives it its name; without that it is removed again.
  class Draft : public ByteSink, public ByteSource {
   public:
    /// Errc::invalid if a file of that name exists by now: it is left alone.
    virtual Result<void> keep() = 0;
  };
  virtual Result<std::unique_ptr<Draft>> draft(const std::string& path) = 0;
  /// A large file that the operator named.
  virtual Result<std::unique_ptr<ByteSource>> open_large(const std::string& path) = 0;
  /// Removes a file that ichor wrote. One that does not exist is no error.
  virtual Result<void> remove(const std::string& path) = 0;

  /// While it lives, no other ichor reads and changes a file in the same folder.
  class Hold {
   public:
    virtual ~Hold() = default;
  };
  /// For a file that is read, changed and written: the folder is made if it is missing.
  /// Errc::locked if another ichor holds it for seconds.
  virtual Result<std::unique_ptr<Hold>> hold(const std::string& path) = 0;

  /// Refuses a place at which git would see a secret.
  virtual Result<void> may_export(const std::string& path) = 0;
  /// Writes a secret where the operator wants it, with a backup of what was there.
  virtual Result<void> export_secret(const std::string& path, const SecretString& content) = 0;

  /// A new folder of this user's own.
  virtual Result<std::string> make_temp_dir() = 0;
  /// Removes a folder that make_temp_dir() made, with all that is in it.
  virtual void remove_temp_dir(const std::string& path) = 0;
};

}  // namespace ichor
