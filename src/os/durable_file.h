#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace ichor {

/// A folder opened once and then used by descriptor, so that no program can swap it in between.
class Folder {
 public:
  enum class Access { shared, owner_only };

  /// Opens the folder, made with its parents if missing. With owner_only it must belong to this
  /// user and gets mode 0700. A symbolic link as the last component is refused.
  static Result<Folder> make(const std::string& path, Access access);
  /// Errc::invalid if it is missing.
  static Result<Folder> open(const std::string& path, Access access);

  Folder(Folder&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder();

  const std::string& path() const { return path_; }
  int fd() const { return fd_; }

 private:
  Folder(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

/// The bytes of a file, or nothing if there is none. Errc::unsafe for a symbolic link or anything
/// that is not a regular file, Errc::invalid above `size_max`.
Result<std::optional<SecretString>> read_file(const Folder& folder, const std::string& name,
                                              std::size_t size_max);

/// The same for a file that only its owner may be able to read: Errc::unsafe if others may.
Result<std::optional<SecretString>> read_private_file(const Folder& folder, const std::string& name,
                                                      std::size_t size_max);

/// Writes a file whole or not at all, mode 0600: into a temporary file, synced, renamed, and the
/// folder synced. A file with other content that stood there is kept as NAME.bak, or NAME.bak.2 and
/// so on; one with the same content is left alone. A failed sync is not tried again.
Result<void> write_file(const Folder& folder, const std::string& name, const SecretString& content);

/// As write_file, but nothing is kept of what stood there: a file that was encrypted in its place
/// must not leave its plain text behind.
Result<void> replace_file(const Folder& folder, const std::string& name,
                          const SecretString& content);

/// Writes a file that must not exist yet, whole or not at all, mode 0600. False if it exists: then
/// it is left alone, and of two who try at the same time one gets false. Without a sync it is whole
/// for everybody who looks, but a power cut may take it.
enum class Sync { yes, no };
Result<bool> create_file(const Folder& folder, const std::string& name, const SecretString& content,
                         Sync sync = Sync::yes);

/// Whether there is a regular file, or a link to one.
bool has_file(const std::string& path);

/// A file that the operator named. Symbolic links are followed: that is the operator's choice.
/// Errc::invalid if it is missing, larger than `size_max`, or neither a regular file nor a pipe
/// that this process was started with: one that lies in a folder could hold us for ever.
Result<std::string> read_input(const std::string& path, std::size_t size_max);

/// As read_input for a file below a folder; nothing if there is none. Errc::unsafe if a symbolic
/// link leads out of the folder.
Result<std::optional<std::string>> read_below(const std::string& folder, const std::string& name,
                                              std::size_t size_max);

/// The names in a folder, sorted, without hidden ones; nothing if it cannot be listed.
std::optional<std::vector<std::string>> list_folder(const std::string& path);

/// Whether there is a regular file of this name; what cannot be looked at is not there.
bool has_file(const std::string& path);

/// As read_input; Errc::unsafe if others than the owner may read it.
Result<SecretString> read_secret_input(const std::string& path, std::size_t size_max);

}  // namespace ichor
