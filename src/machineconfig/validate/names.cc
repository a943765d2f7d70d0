#include "machineconfig/validate/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor::validate {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c); }

constexpr std::size_t kNameMax = 63;
constexpr std::size_t kDomainMax = 253;

/// Letters, digits and -_. with a letter or digit at both ends.
bool is_simple_name(std::string_view name) {
  if (name.empty() || !is_alphanumeric(name.front()) || !is_alphanumeric(name.back())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_lower_label(std::string_view label) {
  const auto inner = [](char c) { return is_lower(c) || is_digit(c); };
  if (label.empty() || !inner(label.front()) || !inner(label.back())) return false;
  return std::all_of(label.begin(), label.end(), [&](char c) { return inner(c) || c == '-'; });
}

template <class Fits>
bool all_labels(std::string_view name, Fits fits) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (!fits(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string qualified_name_trouble(std::string_view name) {
  if (std::count(name.begin(), name.end(), '/') > 1) return "has more than one slash";
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    if (prefix.size() > kDomainMax || !all_labels(prefix, is_lower_label)) {
      return "has a prefix that is not a domain name";
    }
    name.remove_prefix(slash + 1);
  }
  if (name.size() > kNameMax) return fmt::format("is longer than {} characters", kNameMax);
  if (!is_simple_name(name)) {
    return "must consist of letters, digits and -_. and begin and end with a letter or digit";
  }
  return "";
}

std::string label_value_trouble(std::string_view value) {
  if (value.size() > kNameMax) return fmt::format("is longer than {} characters", kNameMax);
  if (!value.empty() && !is_simple_name(value)) {
    return "must consist of letters, digits and -_. and begin and end with a letter or digit";
  }
  return "";
}

std::string taint_trouble(std::string_view taint) {
  const std::size_t colon = taint.find(':');
  const std::string_view effect = colon == std::string_view::npos ? taint : taint.substr(colon + 1);
  if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
    return "has an unknown effect";
  }
  return colon == std::string_view::npos ? "" : label_value_trouble(taint.substr(0, colon));
}

bool is_subdomain(std::string_view name) {
  return name.size() <= kDomainMax && all_labels(name, is_lower_label);
}

bool is_dns_name(std::string_view name) {
  const auto dots = static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
  if (name.empty() || name.size() - dots > 255) return false;
  const auto fits = [](std::string_view label) {
    const auto inner = [](char c) { return is_alphanumeric(c) || c == '_'; };
    return !label.empty() && label.size() <= kNameMax && inner(label.front()) &&
           std::all_of(label.begin(), label.end(), [&](char c) { return inner(c) || c == '-'; });
  };
  if (all_labels(name, fits)) return true;
  if (name.back() != '.' && name.back() != '_') return false;
  return all_labels(name.substr(0, name.size() - 1), fits);
}

}  // namespace ichor::validate
