#pragma once

#include "template/meter.h"
#include "template/value.h"

namespace ichor::jinja {

/// `text % values`: Python's printf. `values` is a tuple, a dict for %(name)s, or the only value.
Outcome<Value> percent_format(const Value& text, const Value& values, Meter& meter);

}  // namespace ichor::jinja
