#pragma once

#include <functional>
#include <string>

#include "cluster/kubeconfig_file.h"
#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "lab/running_lab.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "port/host.h"

namespace ichor {

/// Where a command works, and where it leaves what it makes: the profile's machines, or a lab that
/// stands for them. On a lab everything goes below the lab's folder, and the operator's tree stays
/// as it is.
struct RunTarget {
  std::string state_dir;
  std::string kubeconfig;  // where it goes if the operator does not say
  std::string config_dir;  // where generated configs are written; empty: nowhere
  std::function<IpAddress(const IpAddress&)> dial;
  OutsideView outside;
  std::string lab;               // the folder of the lab; empty: there is none
  bool lab_ends_with_us{false};  // see RunningLab
  bool lab_is_temporary{false};

  WorkspaceOptions workspace_options(const ChangeOptions& change = {}) const;
};

/// The lab that runs in --lab-state, or without that flag the profile's own machines.
OrEnd<RunTarget> find_target(const CommonOptions& common, const ProfileInput& input, Host& host);

/// Everything that a look at the nodes needs. Nothing is made or written, and without the cluster's
/// secrets a talosconfig will do.
OrEnd<Workspace> open_to_look(const CommonOptions& common, const ProfileInput& input, Host& host);

/// Refused if a node of the profile is not part of the lab: only what the lab bound is dialled.
OrEnd<RunTarget> target_on(const RunningLab& lab_found, const CommonOptions& common,
                           const ProfileInput& input);

}  // namespace ichor
