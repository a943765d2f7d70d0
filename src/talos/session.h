#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/sighting.h"
#include "port/talos_api.h"
#include "talos/connection.h"

namespace ichor {

/// What a machine config means, whatever its formatting; compared with MachineConfig::canonical.
using CanonicalDigest = std::function<Digest(std::string_view yaml)>;

/// A session over one guarded gRPC connection. The port (port/talos_api.h) is the contract.
class GrpcSession final : public TalosSession {
 public:
  GrpcSession(Peer peer, std::shared_ptr<Connection> connection, CanonicalDigest digest);

  const Peer& peer() const override { return peer_; }
  Task<CallResult<TalosVersion>> version(Context context) override;
  Task<CallResult<MachineStatus>> machine_status(Context context) override;
  Task<CallResult<Identity>> identity(Context context) override;
  Task<CallResult<std::vector<Disk>>> disks(Context context) override;
  Task<CallResult<std::vector<ServiceStatus>>> services(Context context) override;
  Task<CallResult<bool>> time_synced(Context context) override;
  Task<CallResult<std::optional<Digest>>> config_digest(Context context) override;
  Task<CallResult<bool>> etcd_has_data(Context context) override;
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context context) override;
  Task<CallResult<EtcdStatus>> etcd_status(Context context) override;
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context context) override;
  Task<CallResult<void>> etcd_snapshot(Context context, ByteSink& sink) override;
  Task<CallResult<std::optional<SecretString>>> machine_config(Context context) override;
  Task<CallResult<SecretString>> kubeconfig(Context context) override;
  Task<CallResult<Hardware>> hardware(Context context) override;
  Task<CallResult<std::vector<std::string>>> dmesg(Context context, int lines) override;
  Task<CallResult<std::vector<std::string>>> events(Context context, int count) override;
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context context, Bell& changed) override;
  Task<Outcome> apply_configuration(Context context, ApplyRequest request) override;
  Task<Outcome> bootstrap(Context context, BootstrapRequest request) override;
  Task<Outcome> reset(Context context, ResetRequest request) override;
  Task<Outcome> change_etcd(Context context, EtcdChange change) override;
  Task<Outcome> etcd_recover(Context context, const ByteSource& snapshot) override;
  Task<CallResult<UpgradeView>> upgrade_state(Context context) override;
  Task<Outcome> pull_image(Context context, UpgradeRequest request) override;
  Task<Outcome> upgrade(Context context, UpgradeRequest request) override;
  Task<Outcome> reboot(Context context) override;

  /// What only a scan shows: the links of the machine, and the schematic it was booted from.
  Task<CallResult<void>> read_extras(Context context, Sighting& seen);

 private:
  Task<CallResult<BootId>> boot_id(Context context);
  Task<CallResult<std::string>> version_tag(Context context);
  Task<CallResult<std::optional<std::string>>> read_config(Context context, Call call);
  /// Each fills in what the node tells; an error only if it could not be asked.
  Task<CallResult<void>> read_platform(Context context, Hardware& hardware);
  Task<CallResult<void>> read_memory(Context context, Hardware& hardware);

  Peer peer_;
  std::shared_ptr<Connection> connection_;
  CanonicalDigest digest_;
};

}  // namespace ichor
