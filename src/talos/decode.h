#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cosi_state.pb.h"
#include "machine.pb.h"
#include "model/node.h"
#include "model/sighting.h"
#include "spec_block.pb.h"
#include "spec_network.pb.h"
#include "spec_runtime.pb.h"

namespace ichor {

// From the wire to the model: pure, and with no trust in what came. Texts are cleaned, lists keep
// their order unless said otherwise.

/// Parses the spec of a resource; nullopt if it is none of that kind.
template <class Spec>
std::optional<Spec> spec_of(const cosi::resource::Resource& resource) {
  Spec spec;
  if (!spec.ParseFromString(resource.spec().proto_spec())) return std::nullopt;
  return spec;
}

/// When the node created a resource, by its own clock: seconds since 1970 with nine decimals.
/// Empty: it does not say. COSI lives in memory, so what exists from the start of a boot dates it.
std::string since_from(const cosi::resource::Metadata& metadata);

/// Lines for people: at most fifty, cleaned, and a last one that says how many were left out.
void append_texts(std::vector<std::string>& texts,
                  const google::protobuf::RepeatedPtrField<std::string>& hostile);

/// A spec together with the id of its resource.
template <class Spec>
struct Named {
  std::string id;
  Spec spec;
};

MachineStatus machine_status_from(const spec::MachineStatus& spec);
/// Nothing once it is over.
std::optional<UnattendedInstall> install_from(const spec::UnattendedInstallStatus& spec);

/// "v1.12.6", also with a suffix ("v1.13.0-alpha.1"); nullopt for anything else.
std::optional<TalosVersion> version_from(std::string_view tag);

/// The addresses of physical links, sorted. In a container the only links are virtual ones; there
/// those named eth… stand for them.
std::vector<MacAddress> macs_from(const std::vector<Named<spec::LinkStatus>>& links);

/// The same links with their names and whether they have a carrier, sorted by name.
std::vector<Link> links_from(const std::vector<Named<spec::LinkStatus>>& links);

/// UUID in lower case and serial number; the rest of the identity is not in this resource.
Identity identity_from(const spec::SystemInformation& spec);

/// Disks sorted by id. A disk has volumes if a file system or a partition table was found on it, or
/// a partition below it.
std::vector<Disk> disks_from(const std::vector<Named<spec::Disk>>& disks,
                             const std::vector<Named<spec::DiscoveredVolume>>& volumes,
                             const std::optional<spec::SystemDisk>& system_disk);

ServiceStatus service_from(const machine::ServiceInfo& info);
EtcdMember etcd_member_from(const machine::EtcdMember& member);
EtcdStatus etcd_status_from(const machine::EtcdMemberStatus& status);
std::optional<EtcdAlarm> etcd_alarm_from(const machine::EtcdMemberAlarm& alarm);

}  // namespace ichor
