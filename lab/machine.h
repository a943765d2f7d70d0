#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "lab/config/config_view.h"
#include "lab/records.h"
#include "lab/wire_faults.h"
#include "sim/node/node.h"

namespace ichor::lab {

class ResourceTable;

/// One machine of the lab: the simulated node and what the lab knows about it besides.
class Machine {
 public:
  Machine(Clock& clock, Random& random, sim::Fabric& fabric, sim::ConfigJudge& judge,
          MachineRecord record);
  ~Machine();

  sim::Node& node() { return node_; }
  const sim::Node& node() const { return node_; }
  const NodeName& name() const { return node_.spec().name; }
  const std::string& link() const { return link_; }
  bool old() const { return node_.spec().personality == sim::Personality::v1_12; }
  bool typed() const { return node_.spec().personality == sim::Personality::v1_14; }
  bool container() const { return node_.spec().platform == sim::Platform::container; }

  /// The active config while the node serves its API with one; else nullptr.
  std::shared_ptr<const ConfigView> config() const;
  /// The config it had last in this lab, also while it is down. nullptr once it was wiped.
  std::shared_ptr<const ConfigView> last_config() const;
  /// The address it has, or will have when it is up again.
  std::string home() const;
  /// Text of the active config; empty where config() is null.
  std::string config_text() const;

  MachineRecord record() const;

  WireFaults faults;
  std::set<std::string> lasting;  // names of the faults that last now

  /// Who asked for the sequence that runs: events after this one carry the id.
  struct Actor {
    std::string id;
    std::uint64_t since{0};
  };
  Actor actor;

  /// What of it is written down. Kept by the site.
  struct Marks {
    std::uint64_t revision{0};
    bool powered{false};
    bool unsaved{false};
    bool touched{false};
    bool gone{false};  // removed: nothing of it is written any more
  };
  Marks marks;

  /// What its COSI resources were at the last look.
  ResourceTable& resources() { return *resources_; }

 private:
  sim::Node node_;
  std::string link_;
  std::unique_ptr<ResourceTable> resources_;
  // A config and its facts are one: the judge keeps them together.
  mutable const sim::ConfigFacts* viewed_{nullptr};
  mutable std::shared_ptr<const ConfigView> view_;
};

/// A caller that may read everything: for the lab itself.
inline constexpr sim::Caller kInsider{.anonymous = false, .admin = true, .reader = true};

}  // namespace ichor::lab
