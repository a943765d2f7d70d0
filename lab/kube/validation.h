#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/call.h"

namespace ichor::lab {

/// "app.kubernetes.io/name": a prefix that is a domain, if any, and a name.
bool is_label_key(std::string_view text);
bool is_label_value(std::string_view text);

/// What keeps a body from being an object of its kind at all, such as a number among a ConfigMap's
/// data or a Secret that is not base64; empty: nothing.
std::string undecodable(const nlohmann::json& object);

/// What the server finds wrong with an object that a client writes: its names, its labels, the keys
/// of its data, and what may not change. Puts it into the form in which it is kept: without maps
/// that are empty, and a Secret's text in base64.
std::optional<CallError> validate(const nlohmann::json* before, nlohmann::json& now);

}  // namespace ichor::lab
