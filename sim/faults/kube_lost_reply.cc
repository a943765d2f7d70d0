#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// A write is carried out, and ichor never hears of it.
class KubeLostReply final : public Fault {
 public:
  using Fault::Fault;
  void on_kube_passage(SimWorld&, const KubeRequest& request, KubePassage& passage) override {
    const bool writes = mutates(request.call) && request.changes_something();
    if (!random().chance(writes ? 0.4 : 0.01)) return;
    if (random().chance(0.5)) {
      passage.lose_reply = true;
    } else {
      passage.break_after = true;
    }
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_lost_reply(SeededRandom random) {
  return std::make_unique<KubeLostReply>(random);
}

}  // namespace ichor::sim
