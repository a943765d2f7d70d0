#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "template/value.h"

namespace ichor::jinja {

/// repr() of a float: the shortest text that reads back as the same number, with an exponent below
/// 1e-4 and from 1e16 on.
std::string float_text(double number);

/// int(text, base) and float(text) as Python reads them: spaces around and underscores between
/// digits are taken. Nothing if it is not a number; for integers also if it needs more than 64
/// bits.
std::optional<std::int64_t> read_integer(std::string_view text, int base = 10);
std::optional<double> read_float(std::string_view text);

enum class Arithmetic { add, subtract, multiply, divide, floor_divide, modulo, power };

/// On two numbers. Integers stay integers and have 64 bits; what would need more is an error that
/// says so.
Outcome<Value> calculate(Arithmetic operation, const Value& a, const Value& b);
Outcome<Value> negate(const Value& number);

/// -1, 0 or 1 as a is less than, equal to or greater than b, exactly, also between an integer and a
/// float; nothing if one of them is not a number.
std::optional<int> order_of(const Value& a, const Value& b);

/// int(number): towards zero. Fails beyond 64 bits, and for inf and nan.
Outcome<Value> truncate_to_integer(double number);

/// round(number, digits): halves go to the even neighbour.
Outcome<Value> round_number(const Value& number, std::int64_t digits);

/// A float with a fixed number of digits after the point, as %f writes it.
std::string fixed_text(double number, int digits);

}  // namespace ichor::jinja
