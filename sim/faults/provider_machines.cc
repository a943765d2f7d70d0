#include "phase/provision.h"
#include "sim/faults/catalogue.h"
#include "sim/provider/vm_host.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

using std::chrono::seconds;

const NodePlan& any_node(SimWorld& world, SeededRandom& random) {
  const std::vector<NodePlan>& nodes = world.profile().nodes;
  return nodes[random.below(nodes.size())];
}

/// A machine that the cluster's tag is on, and that ichor did not make.
void add_tagged(SimWorld& world, VmId id, const std::string& name, const std::string& mac) {
  world.vm_host()->add_foreign(id, name, mac);
  VmSeen& seen = world.vm_host()->vms.at(id).seen;
  seen.tags = {tag_of(world.profile())};
  seen.config->values["tags"] = seen.tags.front();
}

/// One task, or a few, end with an error. What failed to be made is gone again.
class ProviderTaskFails final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    left_ = random().between(std::uint64_t{1}, 3);
    world.vm_host()->verdict = [this, &world](const ProviderTask&) -> std::string {
      if (world.quiet() || left_ == 0 || !random().chance(0.3)) return "OK";
      --left_;
      fire();
      return "lvcreate error: out of space";
    };
  }

 private:
  std::uint64_t left_{0};
};

class ProviderLocked final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    const VmId id = *any_node(world, random()).vmid;
    const MonoTime at(random().between(seconds(4), seconds(12)));
    const Duration lasts = random().between(seconds(5), seconds(120));
    world.clock().call_at(at, [this, &world, id, lasts] { lock(world, id, lasts); });
  }

 private:
  void lock(SimWorld& world, VmId id, Duration lasts) {
    const auto vm = world.vm_host()->vms.find(id);
    const bool free = vm != world.vm_host()->vms.end() && vm->second.seen.lock.empty();
    if (!free || world.quiet()) return;
    fire();
    vm->second.seen.lock = "backup";
    world.clock().call_at(later(world.clock().now(), lasts), [&world, id] {
      const auto held = world.vm_host()->vms.find(id);
      if (held != world.vm_host()->vms.end()) held->second.seen.lock.clear();
    });
  }
};

class ProviderNumberTaken final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    world.vm_host()->add_foreign(*any_node(world, random()).vmid, "database", "bc:24:11:00:00:08");
    fire();
  }
};

/// Runs, as its provider says, and shows nothing for a while.
class ProviderBootsLate final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    const VmId id = *any_node(world, random()).vmid;
    const Duration late = random().between(seconds(30), seconds(240));
    world.vm_host()->boot_delay = [this, &world, id, late](VmId started) {
      if (started != id || world.quiet()) return Duration{};
      fire();
      return late;
    };
  }
};

/// Proxmox copies tags, too. A copy is not judged, not changed and not taken for a node.
class ProviderClone final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    add_tagged(world, 901, any_node(world, random()).name.value() + "-copy", "bc:24:11:00:09:01");
    fire();
  }
};

class ProviderOtherMac final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    const NodePlan& node = any_node(world, random());
    add_tagged(world, *node.vmid, node.name.value(), "bc:24:11:00:00:02");
    fire();
  }
};

class ProviderMacTaken final : public Fault {
 public:
  using Fault::Fault;
  void arm(SimWorld& world) override {
    if (!world.vm_host()) return;
    world.vm_host()->add_foreign(701, "clone", any_node(world, random()).mac.value());
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_provider_task_fails(SeededRandom random) {
  return std::make_unique<ProviderTaskFails>(random);
}
std::unique_ptr<Fault> make_provider_locked(SeededRandom random) {
  return std::make_unique<ProviderLocked>(random);
}
std::unique_ptr<Fault> make_provider_number_taken(SeededRandom random) {
  return std::make_unique<ProviderNumberTaken>(random);
}
std::unique_ptr<Fault> make_provider_boots_late(SeededRandom random) {
  return std::make_unique<ProviderBootsLate>(random);
}
std::unique_ptr<Fault> make_provider_clone(SeededRandom random) {
  return std::make_unique<ProviderClone>(random);
}
std::unique_ptr<Fault> make_provider_other_mac(SeededRandom random) {
  return std::make_unique<ProviderOtherMac>(random);
}
std::unique_ptr<Fault> make_provider_mac_taken(SeededRandom random) {
  return std::make_unique<ProviderMacTaken>(random);
}

}  // namespace ichor::sim
