#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.h"

namespace ichor::secrets {

/// A Bech32 text (BIP 173, of any length): what its bytes are for, and the bytes.
struct Bech32 {
  std::string prefix;  // in lower case
  SecretString bytes;
};

/// Nothing if a letter, the checksum or the padding is wrong, or the case is mixed.
std::optional<Bech32> from_bech32(std::string_view text);

/// In lower case.
std::string to_bech32(std::string_view prefix, std::string_view bytes);

}  // namespace ichor::secrets
