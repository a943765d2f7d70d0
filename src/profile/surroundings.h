#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "port/desk.h"
#include "secrets/secret_words.h"

namespace ichor {

/// What a reader of a foreign format may ask for beside its file.
struct Surroundings {
  /// A variable of the environment; nothing if it is not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  /// The text of a file, named as the format names it (from the folder of its main file) and
  /// decrypted; nothing if there is none.
  std::function<Result<std::optional<std::string>>(const std::string& path)> file;
};

/// The environment and the files around a profile, decrypted where SOPS encrypted them. What was
/// decrypted goes to `secrets`. Both `secrets` and `desk` must outlive it.
Surroundings surroundings_of(const std::string& profile, SecretWords& secrets, Desk& desk);

}  // namespace ichor
