#include "cli/hint_display.h"

#include <gtest/gtest.h>

#include "port/test_host.h"

namespace ichor {
namespace {

TEST(HintDisplay, CompletesEveryHintOfASummary) {
  KeptDisplay kept;
  const Hints hints(std::vector<TypedFlag>{{"--lab-state", "lab"}});
  HintDisplay display(kept, hints);
  Summary summary;
  summary.result.verdict = "locked: `ichor unlock 00`";
  summary.result.findings.push_back(
      {Severity::error, "E9", {}, "etcd", "an alarm", "`ichor reset cp3` and `ichor up`"});
  summary.next = {"ichor up  # it continues", "kubectl get nodes",
                  "install it, then `ichor wait nodes`"};
  display.end(summary);
  const Summary& shown = kept.summary();
  EXPECT_EQ(shown.result.verdict, "locked: `ichor unlock --lab-state lab 00`");
  EXPECT_EQ(shown.result.findings[0].fix,
            "`ichor reset --lab-state lab cp3` and `ichor up --lab-state lab`");
  EXPECT_EQ(shown.next[0], "ichor up --lab-state lab  # it continues");
  EXPECT_EQ(shown.next[1], "kubectl get nodes");
  EXPECT_EQ(shown.next[2], "install it, then `ichor wait --lab-state lab nodes`");
}

TEST(HintDisplay, CompletesEventsAndRows) {
  KeptDisplay kept;
  const Hints hints(std::vector<TypedFlag>{{"--profile", "a.yaml"}});
  HintDisplay display(kept, hints);
  display.emit({EventKind::finding, {}, {}, {}, "try: `ichor verify -n w1`"});
  EXPECT_EQ(kept.events[0].text, "try: `ichor verify -p a.yaml -n w1`");
  display.show(Listing{"unmet", {}, {{{"fix", "`ichor wait api`"}}}});
  EXPECT_EQ(kept.listings[0].rows[0]["fix"], "`ichor wait -p a.yaml api`");
}

}  // namespace
}  // namespace ichor
