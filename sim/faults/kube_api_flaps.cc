#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// No client reaches an API server for a while.
class ApiFlaps final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  Duration longest() const override { return std::chrono::seconds(60); }
  void begin(SimWorld& world) override { world.kube()->cut(true); }
  void end(SimWorld& world) override { world.kube()->cut(false); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_api_flaps(SeededRandom random) {
  return std::make_unique<ApiFlaps>(random);
}

}  // namespace ichor::sim
