#include <gtest/gtest.h>

#include "sim/checkers/machines_history.h"

namespace ichor::sim {
namespace {

TEST(ForeignMachines, OursMayBeChanged) {
  MachinesHistory history("I34");
  history.creates(801);
  history.passes(std::chrono::seconds(10));
  for (const VmDeed deed : {VmDeed::start, VmDeed::stop, VmDeed::destroy}) history.asks(deed, 801);
  EXPECT_EQ(history.violation(), "");
}

TEST(ForeignMachines, ThoseOfOthersMayNot) {
  for (const VmDeed deed : {VmDeed::start, VmDeed::stop, VmDeed::destroy}) {
    MachinesHistory history("I34");
    history.host.add_foreign(801, "database", "bc:24:11:00:00:08");
    history.asks(deed, 801);
    EXPECT_EQ(history.violation(), "run 1 asked to " + std::string(name_of(deed)) +
                                       " VM 801 (database), which is not ours");
  }
}

}  // namespace
}  // namespace ichor::sim
