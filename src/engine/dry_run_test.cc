#include "engine/dry_run.h"

#include <gtest/gtest.h>

#include "sim/virtual_clock.h"

namespace ichor {
namespace {

/// A node that would be changed if anything reached it.
class Fragile final : public TalosSession {
 public:
  explicit Fragile(int& changes) : changes_(changes) {}
  const Peer& peer() const override { return peer_; }
  Task<CallResult<TalosVersion>> version(Context) override { co_return TalosVersion{1, 12, 6}; }
  Task<CallResult<MachineStatus>> machine_status(Context) override { co_return MachineStatus{}; }
  Task<CallResult<Identity>> identity(Context) override { co_return Identity{}; }
  Task<CallResult<std::vector<Disk>>> disks(Context) override { co_return std::vector<Disk>{}; }
  Task<CallResult<std::vector<ServiceStatus>>> services(Context) override {
    co_return std::vector<ServiceStatus>{};
  }
  Task<CallResult<bool>> time_synced(Context) override { co_return true; }
  Task<CallResult<std::optional<Digest>>> config_digest(Context) override {
    co_return std::optional<Digest>();
  }
  Task<CallResult<bool>> etcd_has_data(Context) override { co_return false; }
  Task<CallResult<std::vector<EtcdMember>>> etcd_members(Context) override {
    co_return std::vector<EtcdMember>{};
  }
  Task<CallResult<EtcdStatus>> etcd_status(Context) override { co_return EtcdStatus{}; }
  Task<CallResult<std::vector<EtcdAlarm>>> etcd_alarms(Context) override {
    co_return std::vector<EtcdAlarm>{};
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
    co_return std::vector<std::string>{"a line"};
  }
  Task<CallResult<std::vector<std::string>>> events(Context, int) override {
    co_return std::vector<std::string>{};
  }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context, Bell&) override {
    co_return std::unique_ptr<Watch>();
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override {
    ++changes_;
    co_return Outcome::done();
  }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override {
    ++changes_;
    co_return Outcome::done();
  }
  Task<Outcome> change_etcd(Context, EtcdChange) override {
    ++changes_;
    co_return Outcome::done();
  }
  Task<Outcome> etcd_recover(Context, const ByteSource&) override {
    ++changes_;
    co_return Outcome::done();
  }
  Task<Outcome> reset(Context, ResetRequest) override { co_return changed(); }
  Task<CallResult<UpgradeView>> upgrade_state(Context) override { co_return UpgradeView{}; }
  Task<Outcome> pull_image(Context, UpgradeRequest) override { co_return changed(); }
  Task<Outcome> upgrade(Context, UpgradeRequest) override { co_return changed(); }
  Task<Outcome> reboot(Context) override { co_return changed(); }

 private:
  Outcome changed() {
    ++changes_;
    return Outcome::done();
  }

  Peer peer_;
  int& changes_;
};

class FragileApi final : public TalosApi {
 public:
  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context, IpAddress, PeerDemand) override {
    std::unique_ptr<TalosSession> session = std::make_unique<Fragile>(changes_);
    co_return session;
  }
  int changes_{0};
};

/// The value of a task that never waits.
template <class T>
T now(Task<T> task) {
  task.start();
  EXPECT_TRUE(task.done());
  return task.take();
}

TEST(DryRunTalos, LetsReadsThroughAndNoChange) {
  FragileApi real;
  DryRunTalos dry(real);
  sim::VirtualClock clock;
  CancelScope scope;
  const Context context{&clock, &scope};
  auto session = now(dry.open(context, IpAddress("192.168.22.101"), {}));
  ASSERT_TRUE(session);
  EXPECT_EQ(*now((*session)->version(context)), (TalosVersion{1, 12, 6}));

  const Outcome applied = now((*session)->apply_configuration(context, {}));
  EXPECT_EQ(now((*session)->dmesg(context, 1))->front(), "a line");
  const Outcome bootstrapped = now((*session)->bootstrap(context, {}));
  const Outcome wiped = now((*session)->reset(context, {}));
  EXPECT_EQ(real.changes_, 0);
  EXPECT_EQ(applied.kind, OutcomeKind::refused);
  EXPECT_EQ(bootstrapped.error->progress, Progress::not_sent);
  EXPECT_EQ(wiped.kind, OutcomeKind::refused);
  ASSERT_EQ(dry.attempts().size(), 3u);
  EXPECT_EQ(dry.attempts()[0].address, IpAddress("192.168.22.101"));
  EXPECT_EQ(dry.attempts()[1].call, Call::bootstrap);
  EXPECT_EQ(dry.attempts()[2].call, Call::reset);
}

}  // namespace
}  // namespace ichor
