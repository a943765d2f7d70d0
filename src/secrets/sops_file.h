#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "port/local_ports.h"
#include "secrets/sops.h"

namespace ichor {

/// The format that a flag names, or the one of the file's name if it names none.
Result<sops::Format> format_wanted(const std::string& flag, const std::string& file);

/// Decrypts what SOPS encrypted with the user's age keys. What needs another kind of key is left to
/// the sops program if it is installed. If no key fits, the error names the file's recipients and
/// where keys were looked for.
Result<SecretString> open_sops(std::string_view text, const std::string& file,
                               const sops::DecryptOptions& options, LocalPorts& local);

/// The same for a text that may or may not be encrypted, in the format of the file's name.
Result<SecretString> open_if_sealed(SecretString text, const std::string& file, LocalPorts& local);

/// A file with secrets that the operator named: either encrypted with SOPS, and then decrypted, or
/// plain, and then readable by its owner only.
Result<SecretString> read_secret_file(const std::string& path, LocalPorts& local);

/// Runs the sops program on a text and gives its output.
Result<SecretString> ask_sops(std::vector<std::string> arguments, std::string_view text,
                              LocalPorts& local);

}  // namespace ichor
