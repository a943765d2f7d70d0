#include "engine/finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "async/at_once.h"
#include "engine/test_kit.h"

namespace ichor {

namespace {

/// A machine of a network in memory, in maintenance mode or under the cluster's CA.
class RoamingSession final : public MaintenanceSession {
 public:
  RoamingSession(std::string mac, PeerMode mode, const std::string& key)
      : MaintenanceSession(key), machine_(std::move(mac)) {
    peer_.fingerprint = Fingerprint(key.empty() ? "key of " + machine_ : key);
    peer_.mode = mode;
  }
  const Peer& peer() const override { return peer_; }
  Task<CallResult<Identity>> identity(Context) override {
    co_return Identity{MachineUuid("uuid of " + machine_), {}, {MacAddress(machine_)}, {}, "boot"};
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override { co_return Outcome::done(); }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }

 private:
  std::string machine_;
  Peer peer_;
};

/// Machines by address, and a finder that scans 10.0.0.0/24. The plan of cp1 says its MAC and where
/// it is to live.
class FinderTest : public EngineRig, public Scout {
 protected:
  struct Machine {
    std::string mac;
    PeerMode mode{PeerMode::maintenance};
    std::string key{};
  };

  FinderTest() {
    plan_.address = plan_.maintenance_address = IpAddress("192.0.2.1");
    plan_.mac = MacAddress("mac-1");
    profile_.nodes = {plan_};
    world_.finder = &finder_;
  }

  std::unique_ptr<TalosSession> connect() override { return nullptr; }
  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context context, IpAddress address,
                                                       PeerDemand demand) override {
    dialled_.insert(address.value());
    const auto found = machines_.find(address.value());
    if (found == machines_.end()) {
      co_await sleep_for(context, std::chrono::hours(1));
      co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                                         Code::deadline_exceeded, "no answer"});
    }
    std::unique_ptr<TalosSession> session =
        std::make_unique<RoamingSession>(found->second.mac, found->second.mode, found->second.key);
    const Fingerprint& shown = session->peer().fingerprint;
    const bool configured = session->peer().mode == PeerMode::configured;
    if (configured || demand.allows(shown)) co_return session;
    co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::wrong_pin,
                                       Code::unavailable, "another key answers", shown});
  }
  Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) override {
    ++probes_;
    Sighting seen;
    seen.address = address;
    co_await sleep_for(context, std::chrono::milliseconds(1));
    const auto found = machines_.find(address.value());
    if (found == machines_.end()) co_return seen;
    RoamingSession session(found->second.mac, found->second.mode, found->second.key);
    const bool configured = found->second.mode == PeerMode::configured;
    seen.kind = configured ? PeerKind::ours : PeerKind::maintenance;
    seen.fingerprint = session.peer().fingerprint;
    co_await read_machine(context, session, options, seen);
    co_return seen;
  }

  NodeView look() {
    NodeView view;
    const auto body = [&]() -> Task<void> { view = co_await link_.look(context_, Reads{}); };
    Task<void> task = body();
    task.start();
    clock_.run_for(std::chrono::minutes(1));
    EXPECT_TRUE(task.done());
    return view;
  }
  void append(JournalRecord record) {
    if (!locked_) locked_ = at_once(journal_.lock({}, {"nonce", "host", "boot", 1})).has_value();
    const auto body = [&]() -> Task<void> { co_await ledger_.append(record); };
    Task<void> task = body();
    task.start();
    clock_.run_for(std::chrono::seconds(1));
  }
  /// The journal says that cp1 was sent its config.
  void send_config() {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.node = plan_.name;
    record.call = Call::apply_configuration;
    append(record);
  }
  static AddressSet addresses(const char* text) { return *AddressSet::parse(text); }

  std::map<std::string, Machine> machines_;
  std::set<std::string> dialled_;
  int probes_{0};
  bool locked_{false};
  Finder finder_{*this, {addresses("192.0.2.1"), addresses("192.0.2.1,10.0.0.0/24")}, {}};
};

TEST_F(FinderTest, AMachineWithoutAnAddressIsFoundByItsMac) {
  machines_ = {{"10.0.0.7", {"mac-9"}}, {"10.0.0.99", {"mac-1"}}};
  const NodeView view = look();
  EXPECT_EQ(view.presence, Presence::maintenance);
  EXPECT_EQ(view.address.value(), "10.0.0.99");
  // Only the scan contacted any other machine.
  EXPECT_EQ(dialled_, std::set<std::string>{"10.0.0.99"});
}

TEST_F(FinderTest, OneThatIsAtHomeIsNotScannedFor) {
  machines_ = {{"192.0.2.1", {"mac-1"}}};
  EXPECT_EQ(look().presence, Presence::maintenance);
  EXPECT_EQ(probes_, 1);
}

TEST_F(FinderTest, WhereSomeoneSaysThatItIsIsLookedAtFirst) {
  machines_ = {{"10.9.0.7", {"mac-1"}}};
  EXPECT_EQ(look().presence, Presence::silent);
  probes_ = 0;
  clock_.run_for(std::chrono::minutes(1));
  finder_.look_first_at({IpAddress("10.9.0.7"), IpAddress("no address")});
  EXPECT_EQ(look().address.value(), "10.9.0.7");
  EXPECT_EQ(probes_, 2);
}

TEST_F(FinderTest, AFreshScanServesAllNodes) {
  machines_ = {{"10.0.0.99", {"mac-1"}}};
  look();
  const int once = probes_;
  link_.drop();
  NodeLink another(world_, profile_, plan_, ledger_.facts(), bell_);
  const auto body = [&]() -> Task<void> { co_await another.look(context_, Reads{}); };
  Task<void> one = body(), other = body();
  one.start();
  other.start();
  clock_.run_for(std::chrono::seconds(30));
  EXPECT_LE(probes_, 2 * once);
}

TEST_F(FinderTest, TwoMachinesThatFitAreNotTouched) {
  machines_ = {{"10.0.0.7", {"mac-1"}}, {"10.0.0.99", {"mac-1"}}};
  machines_["10.0.0.99"].key = "another key";
  const NodeView view = look();
  EXPECT_EQ(view.presence, Presence::silent);
  EXPECT_EQ(dialled_, std::set<std::string>{"192.0.2.1"});
}

TEST_F(FinderTest, AfterItsConfigTheNodeIsFollowedToItsOwnAddress) {
  machines_ = {{"10.0.0.99", {"mac-1"}}};
  ASSERT_EQ(look().address.value(), "10.0.0.99");
  send_config();
  machines_ = {{"192.0.2.1", {"mac-1", PeerMode::configured}}};
  link_.drop();
  const NodeView view = look();
  EXPECT_EQ(view.presence, Presence::configured);
  EXPECT_EQ(view.address.value(), "192.0.2.1");
}

TEST_F(FinderTest, WhoGotItsFormerAddressIsNotInTheWay) {
  machines_ = {{"10.0.0.99", {"mac-1"}}};
  ASSERT_EQ(look().address.value(), "10.0.0.99");
  send_config();
  // It reboots, and DHCP gives its address to another node of the cluster.
  machines_ = {{"10.0.0.99", {"mac-2"}}};
  link_.drop();
  const NodeView view = look();
  EXPECT_EQ(view.presence, Presence::silent);
  ASSERT_TRUE(view.trouble);
  EXPECT_THAT(view.trouble->text, testing::HasSubstr("another machine answers at 10.0.0.99"));
  EXPECT_FALSE(view.identity);

  machines_["192.0.2.1"] = {"mac-1", PeerMode::configured};
  EXPECT_EQ(look().presence, Presence::configured);
}

TEST_F(FinderTest, AnotherMachineAtItsOwnAddressIsAStranger) {
  send_config();
  machines_ = {{"192.0.2.1", {"mac-2", PeerMode::configured}}};
  EXPECT_EQ(look().presence, Presence::stranger);
}

TEST_F(FinderTest, AConfigThatWasLostFindsTheMachineWhereItIs) {
  // An earlier run sent the config, and it is unknown whether it arrived.
  send_config();
  machines_ = {{"10.0.0.99", {"mac-1"}}};
  const NodeView view = look();
  EXPECT_EQ(view.presence, Presence::maintenance);
  EXPECT_EQ(view.address.value(), "10.0.0.99");
}

TEST_F(FinderTest, NoMachineIsFoundWhereNoneFits) {
  machines_ = {{"10.0.0.99", {"mac-2"}}};
  const NodeView view = look();
  EXPECT_EQ(view.presence, Presence::silent);
  EXPECT_EQ(dialled_, std::set<std::string>{"192.0.2.1"});
}

}  // namespace

}  // namespace ichor
