#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/machine_spec.h"

namespace ichor {

/// The parameters of POST /nodes/HOST/qemu that make this machine, in a fixed order.
std::vector<std::pair<std::string, std::string>> vm_params(const VmSpec& spec);

/// As the body of a form, percent-encoded.
std::string form_of(const std::vector<std::pair<std::string, std::string>>& params);

/// One part of a path or a value of a query.
std::string percent_encoded(std::string_view text);

}  // namespace ichor
