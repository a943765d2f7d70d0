#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// Calls to the API take seconds.
class SlowApi final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void pass(const KubeRequest&, KubePassage& passage) override {
    passage.delay += random().between(std::chrono::milliseconds(100), std::chrono::seconds(8));
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_slow_api(SeededRandom random) {
  return std::make_unique<SlowApi>(random);
}

}  // namespace ichor::sim
