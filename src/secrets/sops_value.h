#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "secrets/sops_tree.h"

namespace ichor::sops {

/// Whether the text has the form of an encrypted value: `ENC[AES256_GCM,…]`.
bool is_sealed(std::string_view text);

/// Encrypts a leaf. `label` is the path of the value, each key followed by a colon, so that a value
/// cannot be moved to another place. An empty text stays empty.
std::string seal_value(const Value& value, const SecretString& data_key, std::string_view label);

/// The reverse. Errors say what is wrong, and never repeat a value.
Result<Value> open_value(std::string_view sealed, const SecretString& data_key,
                         std::string_view label);

}  // namespace ichor::sops
