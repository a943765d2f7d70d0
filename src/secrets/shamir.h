#pragma once

#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace ichor::sops {

/// Puts a secret together out of parts of it (Shamir's scheme over GF(2^8), byte by byte, as sops
/// uses it). A part is as long as the secret and one byte more, its place. With fewer parts than
/// the secret was split for the result is noise, which only a later check can tell. Errc::invalid
/// if the parts do not fit together.
Result<SecretString> join_parts(const std::vector<SecretString>& parts);

}  // namespace ichor::sops
