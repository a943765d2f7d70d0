#pragma once

#include <string>

namespace ichor {

/// What an Upgrade installs, and through which of Talos' two APIs.
struct UpgradeRequest {
  std::string image;  // of the installer, with its tag
  /// LifecycleService and ImageService, which Talos has since 1.13: the install is reported to its
  /// end, and the reboot is a call of its own. Otherwise MachineService, which does all of it.
  bool lifecycle{false};
  /// ImagePull only: of a static pod, for which the kubelet's containerd namespace is the right
  /// one.
  bool for_pods{false};
};

/// A pod that is asked to leave its node; only the one with this uid.
struct PodToEvict {
  std::string name_space, name, uid;
};

}  // namespace ichor
