#include "base/argument.h"

#include <algorithm>

namespace ichor {

bool is_argument_value(std::string_view value) {
  return !value.starts_with('-') && std::none_of(value.begin(), value.end(), [](unsigned char c) {
    return c < 0x20 || c == 0x7f;
  });
}

bool is_chart_argument(std::string_view chart) {
  return is_argument_value(chart) && chart.find("/-") == std::string_view::npos;
}

}  // namespace ichor
