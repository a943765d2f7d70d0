#pragma once

#include <string>

#include "template/meter.h"
#include "template/value.h"

namespace ichor::jinja {

/// str(): what `{{ value }}` prints. A text is itself; everything else is printed as Python would.
/// Fails for undefined values, also within lists, and for what Python prints with its address.
Outcome<std::string> print(const Value& value, Meter& meter);

/// repr(): texts are quoted.
Outcome<std::string> represent(const Value& value, Meter& meter);

/// The filter tojson: keys sorted, ASCII only, safe within HTML. With an `indent` of zero or more
/// every item has its line.
Outcome<std::string> print_json(const Value& value, int indent, Meter& meter);

}  // namespace ichor::jinja
