#pragma once

#include <optional>
#include <string_view>

#include "template/value.h"

namespace ichor::jinja {

/// The functions that every template knows: range, dict, namespace, cycler, joiner.
std::optional<Value> find_global(std::string_view name);

}  // namespace ichor::jinja
