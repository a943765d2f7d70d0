#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "command/commands.h"
#include "model/finding_record.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// The reference profile, one machine in maintenance mode, and a user with a question.
class DoctorCommand : public ::testing::Test {
 protected:
  DoctorCommand() {
    std::ifstream file("examples/reference/ichor.yaml");
    host_.inputs["ichor.yaml"] = {std::istreambuf_iterator<char>(file), {}};
    host_.machines.macs["192.168.22.101"] = "52:54:00:16:01:01";
  }

  int type(std::vector<std::string> words) {
    words.insert(words.begin(), "doctor");
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }
  const RunResult& result() { return host_.display().summary().result; }

  void write(JournalRecord record) {
    record.run = RunId("r");
    MemoryJournal journal(host_.store());
    ASSERT_TRUE(at_once(journal.lock({}, {"00000000000000ab", "desk", "boot", 1})));
    CancelScope scope;
    Task<Result<std::uint64_t>> append =
        journal.append(Context{&host_.clock(), &scope}, std::move(record));
    append.start();
    while (!append.done() && static_cast<sim::VirtualClock&>(host_.clock()).step()) {
    }
    journal.unlock();
  }

  FakeHost host_;
};

TEST_F(DoctorCommand, ExplainsARow) {
  EXPECT_EQ(type({"E4"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("E4: two etcd clusters"));
  EXPECT_THAT(host_.printed(), HasSubstr("fix"));
}

TEST_F(DoctorCommand, GivesProgramsTheRow) {
  EXPECT_EQ(type({"E4", "-o", "json"}), 0);
  EXPECT_THAT(host_.display().rows("fault", {"id", "holds"}), ElementsAre("E4 I1 I4"));
}

TEST_F(DoctorCommand, ExplainsAnInvariant) {
  EXPECT_EQ(type({"I13"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("bounded time"));
}

TEST_F(DoctorCommand, UnderstandsAnErrorOfTalosctl) {
  EXPECT_EQ(type({"rpc error: code = FailedPrecondition desc = time is not in sync yet"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("T7: "));
  EXPECT_THAT(host_.printed(), HasSubstr("evidence"));
}

TEST_F(DoctorCommand, SaysSoIfItKnowsNothing) {
  EXPECT_EQ(type({"the", "quick", "brown", "fox"}), 1);
  EXPECT_THAT(result().verdict, HasSubstr("the quick brown fox"));
}

TEST_F(DoctorCommand, FindsNothingOnANodeThatWaitsForItsConfig) {
  EXPECT_EQ(type({"cp1"}), 0);
  EXPECT_THAT(host_.display().rows("node", {"node", "seen", "stage"}),
              ElementsAre("cp1 maintenance maintenance"));
}

TEST_F(DoctorCommand, NamesTheRowOfANodeThatDoesNotAnswer) {
  EXPECT_EQ(type({"cp2"}), 3);
  ASSERT_THAT(result().findings, SizeIs(1));
  EXPECT_EQ(result().findings[0].id, "N1");
  EXPECT_THAT(result().findings[0].fix, HasSubstr("cp2"));
}

TEST_F(DoctorCommand, HasNothingToSayAboutAClusterThatWasNeverStarted) {
  EXPECT_EQ(type({"--last"}), 1);
}

TEST_F(DoctorCommand, ExplainsTheLastRun) {
  host_.state_made = true;
  JournalRecord started;
  started.kind = RecordKind::run_started;
  write(started);
  write(finding_record({Severity::error, "D8", NodeName("cp1"), "identity", "another one", ""}));
  JournalRecord ended;
  ended.kind = RecordKind::run_ended;
  ended.key = "5";
  ended.value = "another machine answers";
  write(ended);
  EXPECT_EQ(type({"--last"}), 0);
  EXPECT_THAT(result().verdict, HasSubstr("run 1 ended with exit 5: another machine answers"));
  ASSERT_THAT(result().findings, SizeIs(1));
  EXPECT_EQ(result().findings[0].id, "D8");
  EXPECT_THAT(result().findings[0].fix, HasSubstr("--address cp1=IP"));
}

TEST_F(DoctorCommand, ListsEveryRow) {
  EXPECT_EQ(type({"--all"}), 0);
  EXPECT_THAT(host_.display().rows("fault", {"id"}), Contains("P5"));
}

}  // namespace
}  // namespace ichor
