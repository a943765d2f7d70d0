#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ichor::age {

/// Whether the text begins as an armored file does; blanks before it do not count.
bool is_armored(std::string_view text);

/// The bytes of an armored file. Strict as age is: full lines of 64, one short last line, canonical
/// base64, nothing but blanks around it.
Result<std::string> remove_armor(std::string_view text);

std::string add_armor(std::string_view bytes);

}  // namespace ichor::age
