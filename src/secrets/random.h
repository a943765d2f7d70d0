#pragma once

#include <cstddef>

#include "base/secret.h"

namespace ichor::pki {

/// From the system's cryptographic source, never from port/random.h: keys must not be repeatable.
SecretString random_bytes(std::size_t count);

/// "abcdef.0123456789abcdef": six and sixteen of [0-9a-z], as kubeadm and trustd want tokens.
SecretString random_token();

}  // namespace ichor::pki
