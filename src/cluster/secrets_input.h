#pragma once

#include <string>

#include "base/secret.h"
#include "model/or_end.h"
#include "port/host.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

/// The secrets bundle in a decrypted text. `${NAME}` is replaced by the variable of the
/// environment, as talhelper does. `file` is for messages.
OrEnd<pki::SecretsBundle> parse_secrets(const SecretString& plain, const std::string& file,
                                        Host& host);

/// The secrets bundle in a file that a flag names, decrypted if SOPS encrypted it.
OrEnd<pki::SecretsBundle> read_secrets_input(const std::string& path, Host& host);

/// New secrets, made by the contract of a version of Talos.
pki::SecretsBundle fresh_secrets(const TalosVersion& contract, Host& host);

/// What is written to a new file of secrets: encrypted if the name says SOPS, else plain; and then
/// only at a place that git does not see (Errc::unsafe).
Result<SecretString> text_for_secrets_file(const std::string& path,
                                           const pki::SecretsBundle& bundle, Host& host);

}  // namespace ichor
