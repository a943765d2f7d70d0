#include "wait/kube_retry.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

CallError error(Progress progress, Code code, TlsVerdict tls = TlsVerdict::fine) {
  return {Call::kube_apply, progress, tls, code, ""};
}

TEST(KubeRetry, RepeatsWhatWasLost) {
  EXPECT_EQ(judge_kube(error(Progress::sent, Code::unavailable)).reaction, Reaction::retry);
  EXPECT_EQ(judge_kube(error(Progress::not_sent, Code::unavailable)).reaction, Reaction::retry);
  EXPECT_EQ(judge_kube(error(Progress::answered, Code::unavailable)).reaction, Reaction::retry);
  EXPECT_EQ(judge_kube(error(Progress::answered, Code::resource_exhausted)).reaction,
            Reaction::retry);
}

TEST(KubeRetry, WaitsForWhatMayCome) {
  EXPECT_EQ(judge_kube(error(Progress::answered, Code::not_found)).reaction, Reaction::not_yet);
}

TEST(KubeRetry, GivesUpOnWhatStays) {
  EXPECT_EQ(judge_kube(error(Progress::answered, Code::aborted)).fault, "K5");
  EXPECT_EQ(judge_kube(error(Progress::not_sent, Code::internal)).reaction, Reaction::give_up);
  EXPECT_EQ(judge_kube(error(Progress::answered, Code::permission_denied)).reaction,
            Reaction::give_up);
  EXPECT_EQ(judge_kube(error(Progress::not_sent, Code::unavailable, TlsVerdict::foreign_ca)).fault,
            "T1");
}

}  // namespace
}  // namespace ichor
