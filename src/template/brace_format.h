#pragma once

#include <string>
#include <string_view>

#include "template/object.h"

namespace ichor::jinja {

/// str.format(): `{}`, `{0}`, `{name}`, `{0.member}`, `{0[key]}`, with !r or !s and a format.
Outcome<std::string> brace_format(std::string_view text, const Arguments& arguments,
                                  Interpreter& interpreter);

}  // namespace ichor::jinja
