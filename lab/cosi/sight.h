#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/cosi/resource_table.h"
#include "lab/site.h"
#include "model/node.h"

namespace ichor::lab {

/// A machine at one moment, as the makers of its resources need it.
struct Sight {
  Sight(Site& site, Machine& machine);

  Site& site;
  Machine& machine;
  sim::Node& node;
  std::shared_ptr<const ConfigView> config;  // nullptr in maintenance mode
  MachineStatus status;
  std::string hostname;
  std::string address;  // empty without network
  int prefix_length{24};

  bool control_plane() const { return config && config->control_plane(); }
  bool worker() const { return config && !config->control_plane(); }
  /// Whether the node has an object in Kubernetes, and whether that says Ready.
  bool node_registered() const;
  bool node_ready() const;

  /// Machines of the same cluster, this one included. One that is down is still known to the
  /// others.
  std::vector<Machine*> peers() const;
};

/// What discovery knows a machine by: 32 bytes in base62, the same in every boot.
std::string node_id(const Machine& machine);

/// "Talos (v1.12.6)".
std::string operating_system(const Machine& machine);

/// "69 GB": powers of ten, rounded as Talos rounds.
std::string pretty_size(std::uint64_t bytes);

}  // namespace ichor::lab
