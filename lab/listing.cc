#include "lab/listing.h"

namespace ichor {

Listing lab_listing(const lab::LabStatus& status) {
  Listing listing;
  listing.type = "lab-node";
  listing.columns = {{"node", "NODE"},
                     {"address", "ADDRESS"},
                     {"loopback", "LOOPBACK"},
                     {"port", "PORT"},
                     {"stage", "STAGE"},
                     {"ready", "READY"},
                     {"installed", "INSTALLED", true},
                     {"etcd", "ETCD"},
                     {"fingerprint", "FINGERPRINT", true},
                     {"faults", "FAULTS"}};
  for (const lab::NodeReport& node : status.nodes) {
    nlohmann::ordered_json row;
    row["node"] = node.name.value();
    row["address"] = node.address.value();
    row["loopback"] = node.loopback.value();
    row["port"] = node.port;
    row["stage"] = name_of(node.stage);
    row["ready"] = node.ready;
    row["installed"] = node.installed;
    row["etcd"] = node.etcd_member ? "member" : "";
    if (!node.fingerprint.empty()) row["fingerprint"] = node.fingerprint;
    row["faults"] = node.faults;
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

}  // namespace ichor
