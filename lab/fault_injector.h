#pragma once

#include <string>

#include "lab/fault.h"
#include "lab/kube/service.h"
#include "lab/proxmox/service.h"
#include "lab/site.h"
#include "lab/talos/service.h"

namespace ichor::lab {

/// Does to machines and their connections what faults say. Lives on the loop's thread.
class FaultInjector {
 public:
  /// `proxmox` may be null: then there is none.
  FaultInjector(Site& site, TalosService& talos, KubeService& kube, ProxmoxService* proxmox)
      : site_(site), talos_(talos), kube_(kube), proxmox_(proxmox) {}

  /// One line about what was done.
  Result<std::string> inject(const Injection& injection);
  /// Injects at the given times after now; what cannot be done then is left out.
  void schedule(const std::vector<ScheduledFault>& plan);

 private:
  void apply(Machine& machine, const Injection& injection);
  /// Starts or ends a fault that lasts.
  void set(Machine& machine, const std::string& fault, bool on);
  void clear(Machine& machine);

  Site& site_;
  TalosService& talos_;
  KubeService& kube_;
  ProxmoxService* proxmox_;
};

}  // namespace ichor::lab
