#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "async/at_once.h"
#include "engine/act.h"
#include "journal/memory_journal.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor {

/// A machine in maintenance mode that answers every read at once. Tests say what its mutations do.
class MaintenanceSession : public TalosSession {
 public:
  explicit MaintenanceSession(const std::string& key) { peer_.fingerprint = Fingerprint(key); }

  const Peer& peer() const override { return peer_; }
  Task<CallResult<TalosVersion>> version(Context) override { co_return TalosVersion{}; }
  Task<CallResult<MachineStatus>> machine_status(Context) override {
    co_return MachineStatus{Stage::maintenance, true, {}};
  }
  Task<CallResult<Identity>> identity(Context) override {
    co_return Identity{MachineUuid("uuid-1"), {}, {MacAddress("mac-1")}, {}};
  }
  Task<CallResult<std::vector<Disk>>> disks(Context) override { co_return std::vector<Disk>(); }
  Task<CallResult<std::vector<ServiceStatus>>> services(Context) override {
    co_return std::vector<ServiceStatus>();
  }
  Task<CallResult<bool>> time_synced(Context) override { co_return true; }
  Task<CallResult<std::optional<Digest>>> config_digest(Context) override {
    co_return std::optional<Digest>();
  }
  Task<CallResult<bool>> etcd_has_data(Context) override { co_return false; }
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context) override {
    co_return std::vector<EtcdMember>();
  }
  Task<CallResult<EtcdStatus>> etcd_status(Context) override { co_return EtcdStatus{}; }
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context) override {
    co_return std::vector<EtcdAlarm>();
  }
  Task<CallResult<void>> etcd_snapshot(Context, ByteSink&) override {
    co_return CallResult<void>();
  }
  Task<CallResult<std::optional<SecretString>>> machine_config(Context) override {
    co_return std::optional<SecretString>();
  }
  Task<CallResult<SecretString>> kubeconfig(Context) override { co_return SecretString("k"); }
  Task<CallResult<Hardware>> hardware(Context) override { co_return Hardware{}; }
  Task<CallResult<std::vector<std::string>>> dmesg(Context, int) override {
    co_return std::vector<std::string>();
  }
  Task<CallResult<std::vector<std::string>>> events(Context, int) override {
    co_return std::vector<std::string>();
  }
  Task<Outcome> reset(Context, ResetRequest) override { co_return Outcome::done(); }
  Task<Outcome> change_etcd(Context, EtcdChange) override { co_return Outcome::done(); }
  Task<Outcome> etcd_recover(Context, const ByteSource&) override { co_return Outcome::done(); }
  Task<CallResult<UpgradeView>> upgrade_state(Context) override { co_return UpgradeView{}; }
  Task<Outcome> pull_image(Context, UpgradeRequest) override { co_return Outcome::done(); }
  Task<Outcome> upgrade(Context, UpgradeRequest) override { co_return Outcome::done(); }
  Task<Outcome> reboot(Context) override { co_return Outcome::done(); }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context, Bell&) override {
    co_return std::unique_ptr<Watch>();
  }

 private:
  Peer peer_;
};

/// One node, cp1, and all that the engine needs to reach it. Tests say what is at its address.
class EngineRig : public testing::Test,
                  public TalosApi,
                  public KubeApi,
                  public Artifacts,
                  public EventSink {
 protected:
  EngineRig() {
    plan_.name = NodeName("cp1");
    plan_.address = plan_.maintenance_address = IpAddress("192.0.2.1");
    Digest payload, canonical;
    payload.bytes[0] = 1;
    canonical.bytes[0] = 2;
    configs_.nodes[plan_.name] = {SecretString("bytes"), payload, canonical, Role::worker};
    profile_.nodes.push_back(plan_);
  }

  virtual std::unique_ptr<TalosSession> connect() = 0;

  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context, IpAddress,
                                                       PeerDemand demand) override {
    std::unique_ptr<TalosSession> session = connect();
    const Fingerprint& shown = session->peer().fingerprint;
    const bool configured = session->peer().mode == PeerMode::configured;
    if (configured || demand.allows(shown)) co_return session;
    co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::wrong_pin,
                                       Code::unavailable, "another key answers", shown});
  }
  Task<CallResult<void>> ready(Context, const SecretString&) override {
    co_return CallResult<void>();
  }
  Result<void> write(const std::string&, const SecretString&) override { return {}; }
  std::optional<SecretString> read(const std::string&) override { return std::nullopt; }
  void emit(const Event&) override {}

  /// The journal says that the machine at the address is cp1, under this key.
  Task<void> bind(std::string key = "key", std::string since = "first") {
    JournalRecord bound;
    bound.kind = RecordKind::identity_bound;
    bound.node = plan_.name;
    const Identity machine{MachineUuid("uuid-1"), {}, {MacAddress("mac-1")}, {}, since};
    bound.value = encode_binding({machine, Fingerprint(key)});
    co_await ledger_.append(bound);
  }
  void run_to_end(Task<void> task, Duration limit) {
    ASSERT_TRUE(at_once(journal_.lock({}, {"nonce", "host", "boot", 1})));
    task.start();
    clock_.run_for(limit);
    ASSERT_TRUE(task.done());
  }

  sim::VirtualClock clock_;
  sim::SeededRandom random_{1};
  MemoryStore store_{clock_};
  MemoryJournal journal_{store_};
  CancelScope scope_;
  Context context_{&clock_, &scope_};
  World world_{clock_, random_, *this, *this, journal_, *this, *this};
  Ledger ledger_{context_, journal_, RunId("run")};
  ClusterProfile profile_;
  NodePlan plan_;
  ConfigSet configs_;
  Bell bell_;
  NodeLink link_{world_, profile_, plan_, ledger_.facts(), bell_};
};

}  // namespace ichor
