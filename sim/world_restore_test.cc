#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>

#include "sim/campaign.h"
#include "sim/checkers/checker.h"
#include "sim/cluster_fixture.h"
#include "sim/node/etcd_database.h"
#include "sim/world.h"

namespace ichor::sim {
namespace {

constexpr std::uint64_t kRevision = 7000;

std::string old_snapshot() {
  EtcdCluster old;
  old.members.push_back({EtcdMemberId(1), NodeName("cp1"), false, true});
  old.restored_revision = kRevision - 1;
  old.raft_index = 1;
  return etcd_snapshot(old);
}

/// No etcd of the cluster is ever anything but the restored one, whatever happens to ichor, to the
/// network and to the nodes meanwhile.
class OnlyTheRestored final : public Checker {
 public:
  struct Seen {
    int uploads{0};
    int restored{0};
  };

  OnlyTheRestored(const Truth& truth, Seen& seen) : Checker(truth), seen_(seen) {}
  std::string_view id() const override { return "restore"; }
  std::string_view promise() const override {
    return "etcd exists only as the snapshot made it, and the journal knew of it before";
  }

  void on_effect(const Request& request) override {
    if (request.call == Call::etcd_recover) ++seen_.uploads;
  }
  void on_node_changed(const Node&) override {
    for (const auto& cluster : truth().fabric.clusters()) {
      if (cluster->restored_revision == kRevision) continue;
      violated(
          fmt::format("an etcd was made that starts at revision {}", cluster->restored_revision));
    }
  }
  void at_end() override { seen_.restored += truth().fabric.clusters().size() == 1 ? 1 : 0; }

 private:
  Seen& seen_;
};

/// A restore is a bring-up with another bootstrap, so it lives through the same bad days.
TEST(Restore, IsNeverLostAndNeverReplacedByAnEmptyEtcd) {
  const FaultChoice bad_days = *parse_faults(
      "connection-refused,blackhole,lost-reply,slow-network,transient-code,reboot-in-booting,"
      "crash-in-booting,crash-in-running,reboot-after-bootstrap,frozen,time-unsynced,slow-learner,"
      "crash-before-journal,crash-after-journal,crash-before-call,crash-after-call,crash-anytime");
  OnlyTheRestored::Seen seen;
  constexpr int kSeeds = 250;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SeedPlan plan = draw_plan(seed, {}, bad_days, Line::talos);
    ClusterFixture fixture = make_fixture(plan);
    SimWorld world(plan, fixture);
    world.restore_from(old_snapshot());
    world.add(std::make_unique<OnlyTheRestored>(world.truth(), seen));
    ASSERT_EQ(world.run().violation, "") << "seed " << seed;
  }
  EXPECT_EQ(seen.restored, kSeeds);
  EXPECT_GT(seen.uploads, kSeeds) << "some were lost and made again";
}

}  // namespace
}  // namespace ichor::sim
