#pragma once

#include "sim/faults/fault.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"
#include "sim/world.h"

namespace ichor::sim {

/// A fault of Kubernetes that lasts for a while, up to three times, from the first call of ichor to
/// its API on: before that it has no effect.
class KubeWindowFault : public Fault {
 public:
  using Fault::Fault;

  void on_kube_passage(SimWorld& world, const KubeRequest& request, KubePassage& passage) override {
    if (!planned_) plan(world);
    if (on_) pass(request, passage);
  }
  void quiet(SimWorld& world) override {
    over_ = true;
    if (on_) close(world);
  }

 protected:
  virtual Duration shortest() const { return std::chrono::seconds(5); }
  virtual Duration longest() const { return std::chrono::seconds(150); }
  virtual void begin(SimWorld& /*world*/) {}
  virtual void end(SimWorld& /*world*/) {}
  /// A call within the window.
  virtual void pass(const KubeRequest& /*request*/, KubePassage& /*passage*/) {}

 private:
  void plan(SimWorld& world) {
    planned_ = true;
    const std::uint64_t count = random().between(std::uint64_t{1}, 3);
    Duration at = random().between(Duration{}, std::chrono::seconds(60));
    for (std::uint64_t i = 0; i < count; ++i) {
      const Duration length = random().between(shortest(), longest());
      world.clock().call_at(later(world.clock().now(), at), [this, &world] { open(world); });
      at += length;
      world.clock().call_at(later(world.clock().now(), at), [this, &world] {
        if (on_) close(world);
      });
      at += random().between(std::chrono::seconds(1), std::chrono::minutes(3));
    }
  }
  void open(SimWorld& world) {
    if (on_ || over_) return;
    on_ = true;
    fire();
    world.note_kube_outside("a fault of Kubernetes begins");
    begin(world);
  }
  void close(SimWorld& world) {
    on_ = false;
    end(world);
  }

  bool planned_{false};
  bool on_{false};
  bool over_{false};
};

}  // namespace ichor::sim
