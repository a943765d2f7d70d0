#pragma once

#include <string>

#include "lab/address_map.h"
#include "model/cluster_profile.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "port/host.h"

namespace ichor {

/// A lab in another process that stands for the profile's machines.
struct RunningLab {
  std::string state_dir;  // the lab's own; ichor's state and kubeconfig go below it
  lab::AddressMap addresses;
  bool ends_with_us{false};  // it was started for this run only
  bool temporary{false};     // so was its folder

  std::string ichor_state(const ClusterProfile& profile) const {
    return state_dir + "/ichor/" + profile.name;
  }
};

/// The lab that runs in --lab-state. Sets the host's clock to its pace.
OrEnd<RunningLab> find_lab(const CommonOptions& common, Host& host);

/// The same, or starts one for this profile, in a fresh folder if none is named. One that is not to
/// be kept ends with this process.
OrEnd<RunningLab> find_or_start_lab(const LabOptions& options, const CommonOptions& common,
                                    Host& host);

/// Stops a lab, so that nothing writes to its folder any more, and removes that if it is
/// `temporary`.
void end_lab(const std::string& folder, bool temporary, Host& host);

}  // namespace ichor
