#pragma once

#include <string_view>

#include "template/object.h"

namespace ichor::jinja {

/// A method of a text, list, tuple, dict or number.
using Method = Outcome<Value> (*)(const Value& self, const Arguments&, Interpreter&);

/// Null if values of that kind have no such method.
Method find_method(Kind kind, std::string_view name);

// The tables, one file for each.
Method find_text_method(std::string_view name);
Method find_collection_method(Kind kind, std::string_view name);

}  // namespace ichor::jinja
