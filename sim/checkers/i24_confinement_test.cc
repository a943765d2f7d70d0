#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

TEST(Confinement, HoldsForTheDeclaredFiles) {
  History history("I24");
  history.checker->on_written({1, "kubeconfig", "x"});
  history.checker->on_written({1, "talosconfig", "x"});
  EXPECT_EQ(history.violation(), "");
}

TEST(Confinement, IsBrokenByAnyOtherName) {
  for (const char* name : {"../kubeconfig", "/etc/passwd", "kubeconfig.bak", "", "cp1.yaml"}) {
    History history("I24");
    history.checker->on_written({1, name, "x"});
    EXPECT_EQ(history.violation(),
              "run 1 wrote \"" + std::string(name) + "\", which is not declared");
  }
}

}  // namespace
}  // namespace ichor::sim
