#include <algorithm>

#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// ichor does not see some nodes for a while; among themselves the nodes are fine.
class Unseen : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld& world, Passage& passage) override {
    const MonoTime now = world.clock().now();
    for (const Gap& gap : gaps_) {
      if (gap.node != passage.node || now < gap.begin || now >= gap.end) continue;
      passage.lose_request = true;
      fire();
      return;
    }
  }

 protected:
  struct Gap {
    const Node* node{nullptr};
    MonoTime begin{};
    MonoTime end{};
  };
  std::vector<Gap> gaps_;
};

/// One control plane, for longer than most waits last.
class OneUnseen final : public Unseen {
 public:
  using Unseen::Unseen;
  void arm(SimWorld& world) override {
    const auto count = static_cast<std::uint64_t>(world.plan().shape.control_planes);
    const MonoTime begin(random().between(Duration{}, world.plan().fault_phase));
    const Duration length = random().between(std::chrono::minutes(3), std::chrono::minutes(10));
    gaps_.push_back({world.nodes()[random().below(count)].get(), begin, begin + length});
  }
};

/// Swizzle-clog: some nodes are clogged one after the other and come back in another order.
class SwizzleClog final : public Unseen {
 public:
  using Unseen::Unseen;
  void arm(SimWorld& world) override {
    std::vector<const Node*> nodes;
    for (const auto& node : world.nodes()) {
      if (random().chance(0.5)) nodes.push_back(node.get());
    }
    MonoTime at(random().between(Duration{}, world.plan().fault_phase));
    for (const Node* node : nodes) {
      gaps_.push_back({node, at, kNever});
      at += random().between(std::chrono::seconds(1), std::chrono::seconds(10));
    }
    for (std::size_t left = gaps_.size(); left > 0; --left) {
      std::swap(gaps_[random().below(left)], gaps_[left - 1]);
      at += random().between(std::chrono::seconds(1), std::chrono::seconds(20));
      gaps_[left - 1].end = at;
    }
  }
};

}  // namespace

std::unique_ptr<Fault> make_one_unseen(SeededRandom random) {
  return std::make_unique<OneUnseen>(random);
}
std::unique_ptr<Fault> make_swizzle_clog(SeededRandom random) {
  return std::make_unique<SwizzleClog>(random);
}

}  // namespace ichor::sim
