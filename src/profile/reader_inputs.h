#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "port/local_ports.h"
#include "secrets/secret_words.h"

namespace ichor {

/// What a reader of a foreign format may ask for beside its file.
struct ReaderInputs {
  /// A variable of the environment; nothing if it is not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  /// The text of a file, named as the format names it (from the folder of its main file) and
  /// decrypted; nothing if there is none.
  std::function<Result<std::optional<std::string>>(const std::string& path)> file;
};

/// The environment and the files around a profile, decrypted where SOPS encrypted them. What was
/// decrypted goes to `secrets`. Both `secrets` and `local` must outlive it.
ReaderInputs reader_inputs(const std::string& profile, SecretWords& secrets, LocalPorts& local);

}  // namespace ichor
