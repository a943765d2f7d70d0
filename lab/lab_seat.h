#pragma once

#include <string>

#include "lab/address_map.h"
#include "model/cluster_profile.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "port/desk.h"

namespace ichor {

/// A lab in another process that stands for the profile's machines.
struct LabSeat {
  std::string state_dir;  // the lab's own; ichor's state and kubeconfig go below it
  lab::AddressMap addresses;
  bool ends_with_us{false};  // it was started for this run only
  bool temporary{false};     // so was its folder

  std::string ichor_state(const ClusterProfile& profile) const {
    return state_dir + "/ichor/" + profile.name;
  }
};

/// The lab that runs in --lab-state. Sets the desk's clock to its pace.
OrEnd<LabSeat> sit_down(const CommonOptions& common, Desk& desk);

/// The same, or starts one for this profile, in a fresh folder if none is named. One that is not to
/// be kept ends with this process.
OrEnd<LabSeat> take_lab(const LabOptions& options, const CommonOptions& common, Desk& desk);

/// Stops a temporary lab and removes its folder.
void remove_lab(const std::string& folder, Desk& desk);

}  // namespace ichor
