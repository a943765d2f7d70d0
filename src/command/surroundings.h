#pragma once

#include <string>

#include "command/desk.h"
#include "command/secret_words.h"
#include "profile/surroundings.h"

namespace ichor {

/// The environment and the files around a profile, decrypted where SOPS encrypted them. What was
/// decrypted goes to `secrets`. Both `secrets` and `desk` must outlive it.
Surroundings surroundings_of(const std::string& profile, SecretWords& secrets, Desk& desk);

}  // namespace ichor
