#pragma once

#include <string>

#include "template/meter.h"
#include "template/value.h"

namespace ichor::jinja {

/// How a value is to be written, as both "%5.2f" % x and "{:5.2f}".format(x) can say.
struct FormatSpec {
  std::string fill{" "};  // one code point
  char align{0};          // < > ^ =, or 0: as is usual for the type
  char sign{'-'};         // - + or space
  bool alternate{false};  // 0x before hexadecimal
  char grouping{0};       // , or _
  int width{0};
  int precision{-1};
  char type{0};
};

/// A number by its type letter: d i u b o x X e E f F g G n %, or none.
Outcome<std::string> format_number(const Value& number, const FormatSpec& spec);

/// Fills up to the width, counted in code points. `=` fills between sign and digits.
Outcome<std::string> pad(std::string text, const FormatSpec& spec, char usual_align, Meter& meter);

}  // namespace ichor::jinja
