#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/node.h"

namespace ichor::lab {

struct NodeReport {
  NodeName name;
  IpAddress address;   // as the profile says: DHCP or static, whichever the node has now
  IpAddress loopback;  // where to dial for it
  Stage stage{Stage::unknown};
  bool ready{false};
  std::string port;         // "closed", "maintenance", "apid"
  std::string fingerprint;  // of the certificate that the port shows; empty while it is closed
  std::string hostname;
  bool installed{false};
  bool etcd_member{false};
  std::vector<std::string> faults;  // that last now
};

/// What a lab says about itself.
struct LabStatus {
  std::int64_t pid{0};
  std::string state_dir;
  double time_scale{1.0};
  std::string talos_version;
  std::vector<NodeReport> nodes;           // in the order of the profile
  std::vector<std::string> etcd_clusters;  // ids in hex; more than one is a split brain
  std::string kubernetes_api;              // loopback URL of the endpoint; empty without one
  std::uint64_t mutations{0};              // mutating calls that nodes carried out since the start
};

/// One JSON object, and back.
std::string to_json(const LabStatus& status);
LabStatus status_from_json(const std::string& json);

}  // namespace ichor::lab
