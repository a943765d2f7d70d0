#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// A node has left for its static address, and DHCP gives the one it had to another machine, which
/// boots again in maintenance mode just then.
class LeaseReused final : public Fault {
 public:
  using Fault::Fault;

  void on_node_changed(SimWorld& world, Node& node) override {
    const bool left = node.powered() && node.address() == static_address(world, node) &&
                      node.address() != node.spec().dhcp_address;
    // Where the profile says where machines are, it would have to say something else now.
    if (!left || planned_ || world.quiet() || !world.plan().addresses_unknown) return;
    std::vector<Node*> others;
    for (const auto& other : world.nodes()) {
      const bool waits =
          other.get() != &node && other->powered() && other->stage() == Stage::maintenance;
      if (waits) others.push_back(other.get());
    }
    if (others.empty()) return;
    planned_ = true;
    Node& heir = *others[random().below(others.size())];
    const Duration delay = random().between(Duration{}, std::chrono::seconds(30));
    const IpAddress freed = node.spec().dhcp_address;
    world.clock().call_at(later(world.clock().now(), delay), [this, &world, &heir, freed] {
      if (world.quiet() || !heir.powered() || heir.stage() != Stage::maintenance) return;
      if (world.port_at(freed)) return;
      fire();
      heir.power_off();
      world.lease(heir, freed);
      heir.power_on();
    });
  }

 private:
  static IpAddress static_address(SimWorld& world, const Node& node) {
    const NodePlan* plan = world.profile().find(node.spec().name);
    return plan ? plan->address : IpAddress();
  }

  bool planned_{false};
};

}  // namespace

std::unique_ptr<Fault> make_lease_reused(SeededRandom random) {
  return std::make_unique<LeaseReused>(random);
}

}  // namespace ichor::sim
