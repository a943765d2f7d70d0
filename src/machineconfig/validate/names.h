#pragma once

#include <string>
#include <string_view>

namespace ichor::validate {

// What Kubernetes takes as names. Each answer says what is wrong; empty if nothing is.

/// The key of a label, an annotation or a taint: "example.com/name".
std::string qualified_name_trouble(std::string_view name);
std::string label_value_trouble(std::string_view value);
/// The effect of a taint, with or without a value: "NoSchedule", "yes:NoExecute".
std::string taint_trouble(std::string_view taint);

/// "kube-system" or "a.b": lower-case labels with dots between.
bool is_subdomain(std::string_view name);

/// "cluster.local".
bool is_dns_name(std::string_view name);

}  // namespace ichor::validate
