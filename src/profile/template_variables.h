#pragma once

#include <string>

#include "base/result.h"
#include "model/cluster_profile.h"
#include "template/render.h"
#include "yaml/document.h"

namespace ichor {

/// What a profile's templates know: its own values by the names that they have in ichor.yaml
/// (cluster_name, api_endpoint, node_cidr, gateway, vlan, pod_cidr, service_cidr, nameservers, ntp,
/// dns_domain, vip, talos_version, kubernetes_version, schematic_id) and `nodes`, a list of name,
/// ip, mac and controlplane; over them those of `variables`, a mapping or null that stands in
/// `file`. The error is of a variable that has no value.
tl::expected<jinja::Value, yaml::SyntaxError> template_variables(const ClusterProfile& profile,
                                                                 const yaml::Node& variables,
                                                                 const std::string& file);

/// The value that a template of a single node knows as `node`.
jinja::Value node_variable(const NodePlan& node);

/// How a template of a patch is written. Whoever writes `#%` or `#{` means makejinja's delimiters,
/// and gets makejinja's other settings too; everybody else means those of Jinja.
jinja::Options patch_template_options(std::string_view text);

}  // namespace ichor
