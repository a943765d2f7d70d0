#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"

namespace ichor::sim {

namespace {

/// All that a bring-up leaves besides its journal.
constexpr std::string_view kDeclared[] = {"kubeconfig", "talosconfig", "kubeconfig.tools",
                                          "sealed-secrets.sops.yaml"};

}  // namespace

class Confinement final : public Checker {
 public:
  explicit Confinement(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I24"; }
  std::string_view promise() const override {
    return "a run writes the files it declares, under their plain names, and no others";
  }

  void on_written(const Written& written) override {
    const bool declared =
        std::find(std::begin(kDeclared), std::end(kDeclared), written.name) != std::end(kDeclared);
    if (declared) return;
    violated(
        fmt::format("run {} wrote \"{}\", which is not declared", written.process, written.name));
  }
};

template std::unique_ptr<Checker> make_checker<Confinement>(const Truth& truth);

}  // namespace ichor::sim
