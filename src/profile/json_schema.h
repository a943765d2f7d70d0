#pragma once

#include <string>

namespace ichor {

/// The JSON schema (2020-12) of ichor.yaml, made of the keys that its reader asks for. Ends with a
/// newline.
std::string profile_schema();

}  // namespace ichor
