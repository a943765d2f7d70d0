#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

/// The secrets bundle of a running cluster, taken out of a control plane's machine config. The
/// error names what is missing, never a value.
Result<pki::SecretsBundle> secrets_from_config(std::string_view text, const std::string& file);

}  // namespace ichor
