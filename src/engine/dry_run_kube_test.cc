#include "engine/dry_run_kube.h"

#include <gtest/gtest.h>

#include "phase/kubernetes/test_kit.h"

namespace ichor {
namespace {

TEST(DryRunKube, KeepsWhatWouldBeAppliedAndChangesNothing) {
  KubeBench bench;
  DryRunKube dry(std::shared_ptr<KubeClient>(&bench.cluster, [](KubeClient*) {}));
  KubeObject object{{"apiVersion", "v1"}, {"kind", "Namespace"}};
  object["metadata"]["name"] = "flux-system";
  const KubeRef ref = ref_of(object);
  EXPECT_EQ(bench.run(dry.get(bench.context(), ref)).error().code, Code::not_found);
  EXPECT_TRUE(bench.run(dry.apply(bench.context(), object, {})));
  EXPECT_EQ(bench.run(dry.get(bench.context(), ref)).value(), object);
  EXPECT_EQ(bench.cluster.applies, 0);
  KubeApply computed;
  computed.dry_run = true;
  EXPECT_TRUE(bench.run(dry.apply(bench.context(), object, computed)));
  EXPECT_EQ(bench.cluster.dry_runs, 1) << "the server says what would come of it";
  const auto removed = bench.run(dry.remove(bench.context(), ref, "uid"));
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().progress, Progress::not_sent);
  EXPECT_FALSE(bench.run(dry.approve_csr(bench.context(), object, "why")));
  EXPECT_EQ(bench.cluster.removals + bench.cluster.approvals, 0);
}

}  // namespace
}  // namespace ichor
