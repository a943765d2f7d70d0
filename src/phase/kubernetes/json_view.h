#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "port/kube_client.h"

namespace ichor {

/// Looks into objects that a server gave us: what is missing or of another type is empty.

/// The value at the end of a path; null if there is none.
const KubeObject& at(const KubeObject& object, std::initializer_list<std::string_view> path);
/// Lives as long as the object.
const std::string& text_at(const KubeObject& object, std::initializer_list<std::string_view> path);
std::int64_t number_at(const KubeObject& object, std::initializer_list<std::string_view> path,
                       std::int64_t otherwise = 0);
bool flag_at(const KubeObject& object, std::initializer_list<std::string_view> path);

const std::string& name_in(const KubeObject& object);
const std::string& namespace_in(const KubeObject& object);

/// The entry of status.conditions of this type; null if there is none.
const KubeObject& condition(const KubeObject& object, std::string_view type);
/// Its status: "True", "False", "Unknown", or empty.
const std::string& condition_status(const KubeObject& object, std::string_view type);

/// "reason: message" of a condition, or what of it there is.
std::string words_of(const KubeObject& condition);

}  // namespace ichor
