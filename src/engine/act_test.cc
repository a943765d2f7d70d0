#include "engine/act.h"

#include <gtest/gtest.h>

#include "journal/memory_journal.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

Digest digest(std::uint8_t value) {
  Digest made;
  made.bytes[0] = value;
  return made;
}

/// A node in maintenance mode that notes what is asked of it and what the journal held by then.
class RecordingSession final : public TalosSession {
 public:
  RecordingSession(MemoryStore& store, Outcome answer, std::vector<std::string>& heard)
      : store_(store), answer_(std::move(answer)), heard_(heard) {
    peer_.fingerprint = Fingerprint("key-1");
  }
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
  Task<CallResult<SecretString>> kubeconfig(Context) override { co_return SecretString("k"); }
  Task<CallResult<std::unique_ptr<Watch>>> watch(Context, Bell&) override {
    co_return std::unique_ptr<Watch>();
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest request) override {
    heard_.push_back("apply " + std::string(request.config->bytes.reveal()) + " after " +
                     std::string(name_of(store_.records().back().kind)));
    co_return answer_;
  }
  Task<Outcome> bootstrap(Context) override {
    heard_.push_back("bootstrap");
    co_return answer_;
  }

 private:
  MemoryStore& store_;
  Peer peer_;
  Outcome answer_;
  std::vector<std::string>& heard_;
};

class ActTest : public testing::Test,
                public TalosApi,
                public KubeApi,
                public Artifacts,
                public EventSink {
 protected:
  ActTest() {
    plan_.name = NodeName("cp1");
    plan_.address = plan_.maintenance_address = IpAddress("192.0.2.1");
    configs_.nodes[plan_.name] = {SecretString("bytes"), digest(1), digest(2), Role::worker};
  }

  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context, IpAddress, PeerDemand) override {
    std::unique_ptr<TalosSession> session =
        std::make_unique<RecordingSession>(store_, answer_, heard_);
    co_return session;
  }
  Task<CallResult<void>> ready(Context, const SecretString&) override {
    co_return CallResult<void>();
  }
  Result<void> write(const std::string&, const SecretString&) override { return {}; }
  std::optional<SecretString> read(const std::string&) override { return std::nullopt; }
  void emit(const Event&) override {}

  Task<void> bind_and_act() {
    JournalRecord bound;
    bound.kind = RecordKind::identity_bound;
    bound.node = plan_.name;
    const Identity machine{MachineUuid("uuid-1"), {}, {MacAddress("mac-1")}, {}};
    bound.value = encode_identity(machine, {});
    co_await ledger_.append(bound);
    co_await link_.look(context_, {.status = true});
    if (disk_full_) store_.fail_after(0);
    const Action action{Call::apply_configuration, plan_.name, digest(1), "because"};
    outcome_ = co_await act(context_, world_, ledger_, link_, action, configs_, profile_.budgets);
  }
  void run() {
    ASSERT_TRUE(journal_.lock({"nonce", "host", "boot", 1}));
    Task<void> task = bind_and_act();
    task.start();
    clock_.run_for(std::chrono::seconds(30));
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
  Outcome answer_{Outcome::done()};
  Outcome outcome_;
  std::vector<std::string> heard_;
  bool disk_full_{false};
};

TEST_F(ActTest, TheIntentIsDurableWhenTheRequestLeaves) {
  run();
  EXPECT_EQ(heard_, std::vector<std::string>{"apply bytes after intent"});
  EXPECT_EQ(outcome_.kind, OutcomeKind::done);
  ASSERT_EQ(store_.records().size(), 3u);
  EXPECT_EQ(store_.records()[1].key, "key-1") << "the life of the node that it was sent to";
  EXPECT_EQ(store_.records()[2].kind, RecordKind::outcome);
  EXPECT_EQ(store_.records()[2].ref, 2u);
}

TEST_F(ActTest, ALostReplyIsToldAsUnknownAndEndsTheSession) {
  answer_ = Outcome::failed(
      {Call::apply_configuration, Progress::sent, TlsVerdict::fine, Code::unavailable, "EOF"});
  run();
  EXPECT_EQ(store_.records().back().outcome, OutcomeKind::unknown);
  EXPECT_EQ(link_.session(), nullptr);
}

TEST_F(ActTest, NothingIsSentWhenTheIntentCannotBeWritten) {
  disk_full_ = true;
  run();
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(outcome_.kind, OutcomeKind::refused);
  EXPECT_TRUE(ledger_.broken());
}

TEST_F(ActTest, NothingIsSentAfterACancellation) {
  scope_.cancel();
  run();
  EXPECT_TRUE(heard_.empty());
}

}  // namespace
}  // namespace ichor
