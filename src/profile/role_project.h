#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/read_profile.h"
#include "profile/reader_inputs.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

/// Reads a cluster's folder (talos/CLUSTER) in which each node has a file, as read_role_folders()
/// explains. A node's config is the template machineconfig-multicluster.yaml.j2 or
/// machineconfig.yaml.j2, which lies in the folder or beside it, rendered with this cluster's
/// secrets, and then the node's file as a patch. What ichor wants to know of the nodes, such as
/// addresses and disks, is taken from there. `files` are relative to the folder, and so is what
/// `inputs` is asked for.
ProfileReading read_role_project(const std::string& folder, const std::vector<std::string>& files,
                                 const ReaderInputs& inputs);

/// Secrets that stand for those of the cluster where none of their values matter: to lint, and to
/// find out what a template says besides. Every key that a template can name is there.
pki::SecretsBundle placeholder_secrets();

/// Renders the template for one node. It knows `cluster_name`, `role` (controlplane or worker),
/// `node.name`, `secrets` (as in secrets.yaml), `ENV`, and the values of variables.yaml.
Result<std::string> render_base(const BaseTemplate& base, const std::string& cluster_name,
                                const NodeName& node, Role role, const pki::SecretsBundle& secrets);

}  // namespace ichor
