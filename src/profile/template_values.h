#pragma once

#include <string>

#include "base/result.h"
#include "template/value.h"
#include "yaml/document.h"

namespace ichor {

/// A YAML document as the variables of a template. Scalars are typed by the core schema of YAML
/// 1.2: `yes`, `no`, `on` and `off` are texts, 0o17 is 15. An integer that needs more than 64 bits,
/// or that begins with a zero (which YAML 1.1 reads as octal), is an error that says where.
tl::expected<jinja::Value, yaml::SyntaxError> template_value(const yaml::Node& node,
                                                             const std::string& file);

}  // namespace ichor
