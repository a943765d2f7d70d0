#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// A webhook refuses objects of a kind for a while.
class WebhookRefuses final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override {
    static const char* const kinds[] = {"Namespace", "Secret", "CustomResourceDefinition",
                                        "Deployment", ""};
    world.kube()->api().webhooks.push_back(
        {"policy.example.org", kinds[random().below(std::size(kinds))], false});
  }
  void end(SimWorld& world) override { world.kube()->api().webhooks.clear(); }
};

}  // namespace

std::unique_ptr<Fault> make_kube_webhook_refuses(SeededRandom random) {
  return std::make_unique<WebhookRefuses>(random);
}

}  // namespace ichor::sim
