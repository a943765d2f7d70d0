#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "secrets/age_key.h"

namespace ichor::age {

/// Whether the text is an age file, armored or not.
bool looks_encrypted(std::string_view text);

/// Encrypts to every recipient; any one of them can read it. All of them must be X25519 ones, and
/// there must be one at least. The result is armored.
std::string encrypt(std::string_view plain, const std::vector<Recipient>& recipients);

/// Reads an age file, armored or not, with the first identity that fits. What of it is for other
/// programs (a passphrase, ssh, post-quantum or plugin recipients) is named in the error if none
/// fits.
Result<SecretString> decrypt(std::string_view file, const Identities& identities);

}  // namespace ichor::age
