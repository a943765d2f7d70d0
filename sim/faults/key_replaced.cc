#include <algorithm>

#include "model/journal_facts.h"
#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// In the moment in which ichor sends a config, the connection is cut and another machine answers
/// from then on: with the identity of the node, and under another key although it did not reboot.
class KeyReplaced final : public Fault {
 public:
  using Fault::Fault;

  void arm(SimWorld& world) override {
    node_ = world.nodes()[random().below(world.nodes().size())].get();
  }

  void on_passage(SimWorld& world, Passage& passage) override {
    const bool due = passage.call == Call::apply_configuration && passage.node == node_;
    if (!due || fired() > 0 || world.quiet() || !passage.maintenance) return;
    // A key that was bound before the clock was set may change for that reason.
    const auto& records = world.store().records();
    const auto bound = std::find_if(records.rbegin(), records.rend(), [&](const auto& record) {
      return record.kind == RecordKind::identity_bound && record.node == node_->spec().name;
    });
    if (bound == records.rend() || !decode_identity(bound->value).clock_set) return;
    fire();
    boot_ = node_->boot_id();
    passage.lose_request = true;
    node_->replace_maintenance_key();
  }

  /// After a reboot a new key is nothing special.
  void on_node_changed(SimWorld&, Node& node) override {
    if (&node == node_ && fired() > 0 && node.boot_id() != boot_) withdraw();
  }

 private:
  Node* node_{nullptr};
  BootId boot_;
};

}  // namespace

std::unique_ptr<Fault> make_key_replaced(SeededRandom random) {
  return std::make_unique<KeyReplaced>(random);
}

}  // namespace ichor::sim
