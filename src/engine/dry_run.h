#pragma once

#include <memory>
#include <string>
#include <vector>

#include "port/talos_api.h"

namespace ichor {

/// A TalosApi through which nothing can be changed: reads pass, mutations are recorded and answered
/// as not sent. Every command that promises to change nothing is given this one, so that the
/// promise does not rest on its phases.
class DryRunTalos final : public TalosApi {
 public:
  /// One mutation that a phase tried.
  struct Attempt {
    IpAddress address;
    Call call{Call::apply_configuration};
  };

  /// `inner` must outlive this object and its sessions.
  explicit DryRunTalos(TalosApi& inner);

  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context context, IpAddress address,
                                                       PeerDemand demand) override;

  const std::vector<Attempt>& attempts() const { return *attempts_; }

 private:
  TalosApi& inner_;
  std::shared_ptr<std::vector<Attempt>> attempts_;
};

}  // namespace ichor
