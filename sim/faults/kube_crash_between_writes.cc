#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// ichor is killed between two writes to Kubernetes, up to three times.
class CrashBetweenWrites final : public Fault {
 public:
  using Fault::Fault;
  bool crash_at(SimWorld& world, const CrashPoint& point) override {
    if (!world.kube() || fired() >= 3 || point.site != CrashSite::after_append) return false;
    const bool after_write = point.what == "outcome KubeApply" ||
                             point.what == "outcome InstallRelease" ||
                             point.what == "outcome ApproveCSR";
    if (!after_write || !random().chance(0.15)) return false;
    fire();
    return true;
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_crash_between_writes(SeededRandom random) {
  return std::make_unique<CrashBetweenWrites>(random);
}

}  // namespace ichor::sim
