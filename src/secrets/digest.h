#pragma once

#include <string_view>

#include "base/secret.h"
#include "model/ids.h"

namespace ichor::pki {

Digest sha256(std::string_view bytes);

/// Tells nothing about `bytes` to whoever lacks the key.
Digest hmac_sha256(const SecretString& key, std::string_view bytes);

}  // namespace ichor::pki
