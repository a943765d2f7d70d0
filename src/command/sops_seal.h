#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "cli/request.h"
#include "command/desk.h"

namespace ichor {

/// Whether a file of this name is expected to be encrypted: "talsecret.sops.yaml".
bool has_sops_name(const std::string& path);

/// Encrypts a text as `ichor secrets encrypt` does: to the recipients of the request, of
/// SOPS_AGE_RECIPIENTS, or of the creation rule in .sops.yaml that fits `request.file`.
Result<SecretString> seal_text(const SecretsEncryptRequest& request, const SecretString& plain,
                               Desk& desk);

/// The same for a new file with has_sops_name(). The error says that nothing is written in plain.
Result<SecretString> seal_for_name(const std::string& path, const SecretString& plain, Desk& desk);

}  // namespace ichor
