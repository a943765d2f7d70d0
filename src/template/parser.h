#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "template/ast.h"
#include "template/syntax.h"

namespace ichor::jinja {

/// Reads a template. Unknown filters and tests are found here, unless they stand in a branch of an
/// if, where jinja2 looks for them only when the branch is taken. Whether `name` is known is asked
/// of filters.h and predicates.h.
///
/// A position in the error points into `into`, which the caller keeps.
Outcome<void> parse(std::string_view text, const Syntax& syntax, Template& into);

}  // namespace ichor::jinja
