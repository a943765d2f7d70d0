#pragma once

#include "machineconfig/validate/report.h"
#include "machineconfig/validate/view.h"

namespace ichor::validate {

// Rules about Kubernetes that the v1alpha1 document and typed documents share.

void check_labels(const View& labels, Report& report);
void check_annotations(const View& annotations, Report& report);
void check_taints(const View& taints, Report& report);
/// The networks that the node's address may be in.
void check_node_subnets(const View& subnets, Report& report);
/// What Talos sets itself in the kubelet's configuration.
void check_kubelet_settings(const View& settings, Report& report);
/// Requests and limits of a component; `name` is for messages.
void check_resources(const View& component, const char* name, Report& report);
/// Roles of Talos' API.
void check_roles(const View& roles, Report& report);

}  // namespace ichor::validate
