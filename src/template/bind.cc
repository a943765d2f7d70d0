#include "template/bind.h"

#include <algorithm>
#include <fmt/format.h>

#include "template/operate.h"
#include "template/print.h"

namespace ichor::jinja {

Outcome<std::int64_t> Given::integer(std::size_t i, std::int64_t otherwise) const {
  if (!has(i)) return otherwise;
  if (auto defined = need_defined(*values[i]); !defined) return forward_error(defined);
  if (values[i]->is_integral()) return values[i]->as_integer();
  return trouble(fmt::format("{} where an integer is wanted", type_name(*values[i])),
                 "convert it with | int");
}

Outcome<bool> Given::flag(std::size_t i, bool otherwise) const {
  return has(i) ? is_true(*values[i]) : Outcome<bool>(otherwise);
}

Outcome<std::string> Given::text(std::size_t i, std::string_view otherwise) const {
  if (!has(i)) return std::string(otherwise);
  if (auto defined = need_defined(*values[i]); !defined) return forward_error(defined);
  if (values[i]->is_string()) return values[i]->as_string();
  return trouble(fmt::format("{} where a text is wanted", type_name(*values[i])),
                 "convert it with | string");
}

Outcome<std::string> Given::printed(std::size_t i, std::string_view otherwise, Meter& meter) const {
  return has(i) ? print(*values[i], meter) : Outcome<std::string>(std::string(otherwise));
}

Outcome<Given> bind_arguments(const Arguments& arguments, const Parameters& parameters,
                              std::string_view kind, std::string_view name) {
  Given given;
  const bool has_rest = !parameters.empty() && parameters.back().need == Parameter::Need::rest;
  const std::size_t count = parameters.size() - (has_rest ? 1 : 0);
  given.values.resize(count);
  const auto in_words = [&](std::string_view what) {
    return fmt::format("the {} '{}' {}", kind, name, what);
  };
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i < count) {
      given.values[i] = arguments.positional[i];
    } else if (has_rest) {
      given.rest.positional.push_back(arguments.positional[i]);
    } else {
      return trouble(in_words(fmt::format("takes at most {} arguments", count)), "remove some");
    }
  }
  for (const auto& [argument, value] : arguments.named) {
    const auto known =
        std::find_if(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const Parameter& p) { return p.name == argument; });
    const auto index = static_cast<std::size_t>(known - parameters.begin());
    if (index < count && !given.values[index]) {
      given.values[index] = value;
    } else if (index < count) {
      return trouble(in_words(fmt::format("is given '{}' twice", argument)), "remove one");
    } else if (has_rest) {
      given.rest.named.emplace_back(argument, value);
    } else {
      return trouble(in_words(fmt::format("has no parameter '{}'", argument)), "check its name");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (parameters[i].need == Parameter::Need::required && !given.values[i]) {
      return trouble(in_words(fmt::format("needs '{}'", parameters[i].name)),
                     "write it in its parentheses");
    }
  }
  return given;
}

}  // namespace ichor::jinja
