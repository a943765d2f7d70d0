#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "port/kube_api.h"
#include "port/scout.h"
#include "port/talos_api.h"

namespace ichor {

/// A node in maintenance mode that never changes: it counts the attempts.
class MaintenanceSession final : public TalosSession {
 public:
  MaintenanceSession(std::string mac, int& mutations)
      : mac_(std::move(mac)), mutations_(mutations) {
    peer_.fingerprint = Fingerprint("pin of " + mac_);
  }
  const Peer& peer() const override { return peer_; }
  Task<CallResult<TalosVersion>> version(Context) override { co_return runs; }
  Task<CallResult<MachineStatus>> machine_status(Context) override {
    co_return MachineStatus{Stage::maintenance, true, {}};
  }
  Task<CallResult<Identity>> identity(Context) override {
    Identity identity;
    identity.uuid = MachineUuid(uuid.empty() ? "uuid of " + mac_ : uuid);
    identity.macs = {MacAddress(mac_)};
    co_return identity;
  }
  Task<CallResult<std::vector<Disk>>> disks(Context) override {
    Disk disk;
    disk.id = "sda";
    disk.dev_path = "/dev/sda";
    disk.size_bytes = 64ull << 30;
    disk.serial = "disk of " + mac_;
    disk.transport = "sata";
    disk.has_volumes = disk_has_data;
    co_return std::vector<Disk>{disk};
  }
  Task<CallResult<Hardware>> hardware(Context) override {
    Hardware hardware;
    hardware.memory_bytes = 4ull << 30;
    co_return hardware;
  }
  Task<CallResult<std::vector<std::string>>> dmesg(Context, int) override {
    co_return unserved(Call::dmesg);
  }
  Task<CallResult<std::vector<std::string>>> events(Context, int) override {
    co_return unserved(Call::events);
  }
  Task<CallResult<std::vector<ServiceStatus>>> services(Context) override {
    co_return unserved(Call::services);
  }
  Task<CallResult<bool>> time_synced(Context) override { co_return unserved(Call::time_status); }
  Task<CallResult<std::optional<Digest>>> config_digest(Context) override {
    co_return std::optional<Digest>();
  }
  Task<CallResult<bool>> etcd_has_data(Context) override { co_return unserved(Call::etcd_data); }
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context) override {
    co_return unserved(Call::etcd_members);
  }
  Task<CallResult<EtcdStatus>> etcd_status(Context) override {
    co_return unserved(Call::etcd_status);
  }
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context) override {
    co_return unserved(Call::etcd_alarms);
  }
  Task<CallResult<void>> etcd_snapshot(Context, ByteSink&) override {
    co_return unserved(Call::etcd_snapshot);
  }
  Task<CallResult<std::optional<SecretString>>> machine_config(Context) override {
    co_return std::optional<SecretString>();
  }
  Task<CallResult<SecretString>> kubeconfig(Context) override {
    co_return unserved(Call::kubeconfig);
  }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context, Bell&) override {
    co_return unserved(Call::watch);
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    ++mutations_;
    co_return Outcome::done();
  }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override {
    ++mutations_;
    co_return Outcome::done();
  }
  Task<Outcome> reset(Context, ResetRequest) override { co_return changed(); }
  Task<CallResult<UpgradeView>> upgrade_state(Context) override {
    co_return unserved(Call::upgrade_state);
  }
  Task<Outcome> change_etcd(Context, EtcdChange) override {
    ++mutations_;
    co_return Outcome::done();
  }
  Task<Outcome> etcd_recover(Context, const ByteSource&) override {
    ++mutations_;
    co_return Outcome::done();
  }
  Task<Outcome> pull_image(Context, UpgradeRequest) override { co_return changed(); }
  Task<Outcome> upgrade(Context, UpgradeRequest) override { co_return changed(); }
  Task<Outcome> reboot(Context) override { co_return changed(); }

  bool disk_has_data{false};
  std::string uuid;
  TalosVersion runs{1, 12, 6};

 private:
  Outcome changed() {
    ++mutations_;
    return Outcome::done();
  }
  static tl::unexpected<CallError> unserved(Call call) {
    return tl::unexpected(CallError{call, Progress::answered, TlsVerdict::fine, Code::unimplemented,
                                    "API is not implemented in maintenance mode"});
  }

  std::string mac_;
  int& mutations_;
  Peer peer_;
};

/// Machines by address; where there is none, connections are refused.
class FakeMachines final : public TalosApi, public KubeApi, public Scout {
 public:
  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context, IpAddress address,
                                                       PeerDemand demand) override {
    const auto found = macs.find(address.value());
    if (found == macs.end()) {
      co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                                         Code::unavailable, "connection refused"});
    }
    std::unique_ptr<TalosSession> session =
        std::make_unique<MaintenanceSession>(found->second, mutations);
    static_cast<MaintenanceSession&>(*session).disk_has_data = disks_have_data;
    static_cast<MaintenanceSession&>(*session).runs = run;
    static_cast<MaintenanceSession&>(*session).uuid = uuid_at(address);
    if (!demand.allows(session->peer().fingerprint)) {
      co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::wrong_pin,
                                         Code::unavailable, "another key was pinned"});
    }
    co_return session;
  }
  Task<CallResult<void>> ready(Context, const SecretString&) override {
    co_return tl::unexpected(CallError{Call::kube_ready, Progress::not_sent, TlsVerdict::fine,
                                       Code::unavailable, "connection refused"});
  }

  Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) override {
    probed.insert(address.value());
    Sighting seen;
    seen.address = address;
    const auto found = macs.find(address.value());
    const auto other = others.find(address.value());
    if (other != others.end()) seen.kind = other->second;
    if (found == macs.end()) co_return seen;
    MaintenanceSession session(found->second, mutations);
    session.uuid = uuid_at(address);
    seen.kind = PeerKind::maintenance;
    const auto key = keys.find(address.value());
    seen.fingerprint = key == keys.end() ? session.peer().fingerprint : Fingerprint(key->second);
    co_await read_machine(context, session, options, seen);
    co_return seen;
  }

  std::map<std::string, std::string> macs;   // by address
  std::map<std::string, PeerKind> others;    // by address: who is not a machine of ours
  std::map<std::string, std::string> keys;   // by address, of machines that are clones
  std::map<std::string, std::string> uuids;  // by address, of machines that have not their own
  std::set<std::string> probed;
  bool disks_have_data{false};
  TalosVersion run{1, 12, 6};
  int mutations{0};

 private:
  std::string uuid_at(const IpAddress& address) const {
    const auto found = uuids.find(address.value());
    return found == uuids.end() ? std::string() : found->second;
  }
};

}  // namespace ichor
