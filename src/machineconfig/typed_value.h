#pragma once

#include <string>

#include "base/result.h"
#include "machineconfig/schema.h"
#include "yaml/node.h"

namespace ichor {

/// Reads one value (not a list, mapping or object) as Talos 1.`minor` reads it for this shape, and
/// gives it back in the form in which Talos would write it: 90s is 1m30s, 0x10 is 16, a number is a
/// string where the shape is text. The error says what was wanted, such as "a duration such as
/// 90s"; it never repeats the value.
tl::expected<yaml::Node, std::string> read_typed(const schema::Field& field, const yaml::Node& node,
                                                 int minor);

/// Whether Talos takes a value that read_typed() gave for not set.
bool is_zero(const schema::Field& field, const yaml::Node& value);

/// What Talos writes for a value that is not set: "", 0, false or the first word of a choice.
yaml::Node zero_of(const schema::Field& field);

/// A value of a free mapping as it comes out of Talos: numbers, words and lists in their normal
/// form.
yaml::Node normal_free(const yaml::Node& node);

}  // namespace ichor
