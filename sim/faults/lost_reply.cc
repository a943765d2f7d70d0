#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"

namespace ichor::sim {

namespace {

/// The call is carried out, and ichor never hears of it: silence, or the connection breaks.
class LostReply final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call == Call::open) return;
    if (!random().chance(mutates(passage.call) ? 0.4 : 0.01)) return;
    if (random().chance(0.5)) {
      passage.lose_reply = true;
    } else {
      passage.break_after = true;
    }
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_lost_reply(SeededRandom random) {
  return std::make_unique<LostReply>(random);
}

}  // namespace ichor::sim
