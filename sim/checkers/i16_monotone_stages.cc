#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

namespace {

constexpr unsigned bit(Stage stage) { return 1u << static_cast<unsigned>(stage); }

/// On the way down there is no way back but a new boot; a reset or an upgrade ends in a reboot.
constexpr unsigned kDown = bit(Stage::rebooting) | bit(Stage::shutting_down) |
                           bit(Stage::resetting) | bit(Stage::upgrading);

/// Where a stage may lead within one boot (talos-api.md 3.1).
constexpr unsigned next_stages(Stage stage) {
  switch (stage) {
    case Stage::unknown: return ~0u;
    case Stage::booting:
      return bit(Stage::maintenance) | bit(Stage::installing) | bit(Stage::running) | kDown;
    case Stage::maintenance: return bit(Stage::booting) | bit(Stage::installing) | kDown;
    case Stage::installing:
    case Stage::running: return kDown;
    case Stage::resetting:
    case Stage::upgrading: return bit(Stage::rebooting) | bit(Stage::shutting_down);
    case Stage::rebooting:
    case Stage::shutting_down: return 0;
  }
  return 0;
}

}  // namespace

class MonotoneStages final : public Checker {
 public:
  explicit MonotoneStages(const Truth& truth) : Checker(truth), nodes_(truth) {}

  std::string_view id() const override { return "I16"; }
  std::string_view promise() const override {
    return "a node's stage goes back only with a new boot";
  }

  void on_node_changed(const Node& node) override {
    State* state = nodes_.find(node);
    const Stage stage = node.stage();
    if (state == nullptr || stage == state->stage) return;
    const Stage former = state->stage;
    state->stage = stage;
    // A node leaves maintenance mode through booting, so booting alone does not tell whether it was
    // there already.
    const bool again = stage == Stage::maintenance && state->was_in_maintenance;
    const bool onwards = !again && (next_stages(former) & bit(stage)) != 0;
    // Going on is fine in any boot. Only the rest has to ask which boot it is, because a boot id is
    // a text that is made on request.
    if (!onwards || former == Stage::unknown) {
      BootId boot = node.boot_id();
      if (!onwards && node.powered() && boot == state->boot) {
        violated(fmt::format("{} went from {} to {} within one boot", node.spec().name.value(),
                             name_of(former), name_of(stage)));
      }
      state->boot = std::move(boot);
      state->was_in_maintenance = false;
    }
    if (stage == Stage::maintenance) state->was_in_maintenance = true;
  }

 private:
  struct State {
    Stage stage{Stage::unknown};
    BootId boot;                     // as it began
    bool was_in_maintenance{false};  // in this boot
  };

  PerNode<State> nodes_;
};

template std::unique_ptr<Checker> make_checker<MonotoneStages>(const Truth& truth);

}  // namespace ichor::sim
