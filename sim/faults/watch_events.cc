#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"

namespace ichor::sim {

namespace {

/// A watch delivers each event `copies` times in half of the cases: 0 loses it, 2 doubles it.
class WatchEvents final : public Fault {
 public:
  WatchEvents(SeededRandom random, int copies) : Fault(random), copies_(copies) {}
  int watch_copies(SimWorld&) override {
    if (!random().chance(0.5)) return 1;
    fire();
    return copies_;
  }

 private:
  int copies_;
};

}  // namespace

std::unique_ptr<Fault> make_watch_lost(SeededRandom random) {
  return std::make_unique<WatchEvents>(random, 0);
}
std::unique_ptr<Fault> make_watch_doubled(SeededRandom random) {
  return std::make_unique<WatchEvents>(random, 2);
}

}  // namespace ichor::sim
