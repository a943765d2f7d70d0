#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ichor::lab {

/// A label or field selector of the Kubernetes API: terms that must all hold.
class Selector {
 public:
  /// "app=x,tier!=y,zone in (a, b),!gone,there". Errc::invalid for a text that is none.
  static Result<Selector> parse_labels(std::string_view text);
  /// "metadata.name=x,spec.nodeName!=y", of the few fields of a resource that may be asked for.
  static Result<Selector> parse_fields(std::string_view text, std::string_view plural);

  bool matches_labels(const nlohmann::json& object) const;
  bool matches_fields(const nlohmann::json& object) const;

 private:
  struct Term {
    enum class Op { equal, not_equal, in, not_in, exists, absent } op;
    std::string key;
    std::vector<std::string> values;
  };
  static Result<Selector> parse(std::string_view text);
  static bool holds(const Term& term, const std::string* value);
  std::vector<Term> terms_;
};

}  // namespace ichor::lab
