#pragma once

#include "yaml/node.h"

namespace ichor {

/// What Talos sets for the API server of a fresh cluster: the configuration of the admission plugin
/// PodSecurity, and the audit policy.
yaml::Node pod_security_defaults();
yaml::Node default_audit_policy();

}  // namespace ichor
