#include "cli/hints.h"

#include <gtest/gtest.h>

#include "base/words.h"
#include "cli/command_line.h"

namespace ichor {
namespace {

/// The hints of a command line.
Hints typed(const std::vector<std::string>& words) {
  const CommandLine line = parse_command_line(words);
  return std::get<Invocation>(line).hints;
}

TEST(Hints, RepeatWhatSaysWhichClusterIsMeant) {
  const Hints hints = typed({"plan", "-p", "infra.yaml", "--lab-state=lab", "--state-dir", "s",
                             "--cluster", "infra", "-o", "json"});
  EXPECT_EQ(hints.command("ichor up"),
            "ichor up -p infra.yaml --lab-state lab --state-dir s --cluster infra");
  EXPECT_EQ(hints.command("ichor reset w1 --all"),
            "ichor reset -p infra.yaml --lab-state lab --state-dir s --cluster infra w1 --all");
}

TEST(Hints, ACommandGetsOnlyTheFlagsThatItTakes) {
  const Hints hints = typed({"up", "--config-dir", "made", "--exclude", "w3", "--retries", "2"});
  EXPECT_EQ(hints.command("ichor up"), "ichor up --config-dir made --exclude w3");
  EXPECT_EQ(hints.command("ichor apply -n w1"), "ichor apply --config-dir made -n w1");
  EXPECT_EQ(hints.command("ichor health"), "ichor health");
}

TEST(Hints, WhatIsThereIsNotRepeated) {
  const Hints hints = typed({"plan", "--lab-state", "lab"});
  EXPECT_EQ(hints.command("ichor up --lab-state other"), "ichor up --lab-state other");
}

TEST(Hints, CommandsThatAreAboutNoClusterStayAsTheyAre) {
  const Hints hints = typed({"up", "-p", "infra.yaml", "--lab-state", "lab"});
  EXPECT_EQ(hints.command("ichor doctor E4"), "ichor doctor E4");
  EXPECT_EQ(hints.command("ichor doctor cp1"), "ichor doctor -p infra.yaml --lab-state lab cp1");
  EXPECT_EQ(hints.command("ichor gen secrets"), "ichor gen secrets");
  EXPECT_EQ(hints.command("ichor lab start --state lab --detach"),
            "ichor lab start -p infra.yaml --state lab --detach");
  EXPECT_EQ(hints.command("kubectl get nodes"), "kubectl get nodes");
}

TEST(Hints, CanBePastedIntoAShell) {
  const Hints hints = typed({"up", "-p", "my home/it's.yaml"});
  EXPECT_EQ(hints.command("ichor status"), "ichor status -p 'my home/it'\\''s.yaml'");
}

TEST(Hints, AreFoundInTexts) {
  const Hints hints = typed({"up", "-p", "a.yaml"});
  EXPECT_EQ(hints.in("fix it, then `ichor up`; see `talosctl dmesg` and `ichor status -o wide`"),
            "fix it, then `ichor up -p a.yaml`; see `talosctl dmesg` and `ichor status -p a.yaml "
            "-o wide`");
  EXPECT_EQ(hints.in("an odd ` and `ichor up"), "an odd ` and `ichor up");
}

TEST(Hints, AFolderThatWasMadeForALabIsNamed) {
  Hints hints = typed({"up", "--lab"});
  hints.set_lab("/tmp/ichor-lab-1");
  EXPECT_EQ(hints.command("ichor up"), "ichor up --lab --lab-state /tmp/ichor-lab-1");
  EXPECT_EQ(hints.command("ichor verify -n w1"), "ichor verify --lab-state /tmp/ichor-lab-1 -n w1");
}

TEST(Hints, WithoutFlagsNothingIsAdded) {
  EXPECT_EQ(typed({"up"}).command("ichor up"), "ichor up");
  EXPECT_EQ(Hints().in("`ichor up`"), "`ichor up`");
}

}  // namespace
}  // namespace ichor
