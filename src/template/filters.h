#pragma once

#include <string_view>
#include <vector>

#include "template/bind.h"

namespace ichor::jinja {

/// One filter: `input | name(parameters)`.
struct Filter {
  std::string_view name;
  Parameters parameters;
  Outcome<Value> (*apply)(const Value& input, const Given& given, Interpreter& interpreter);
};

/// Null if there is none of that name.
const Filter* find_filter(std::string_view name);
const std::vector<std::string_view>& filter_names();

// The groups, one file for each.
const std::vector<Filter>& text_filters();
const std::vector<Filter>& layout_filters();
const std::vector<Filter>& list_filters();
const std::vector<Filter>& order_filters();
const std::vector<Filter>& choice_filters();
const std::vector<Filter>& value_filters();

}  // namespace ichor::jinja
