#include <set>

#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

TEST(Checkers, CoverTheInvariantsThatASimulatedRunIsJudgedBy) {
  const History history("I1");
  std::set<std::string_view> ids;
  for (const auto& checker : make_checkers(history.truth)) {
    EXPECT_TRUE(ids.insert(checker->id()).second) << checker->id() << " appears twice";
    EXPECT_NE(checker->promise(), "");
    EXPECT_EQ(checker->violation(), "");
  }
  // I23 is the campaign's.
  const std::set<std::string_view> expected = {
      "I1",  "I2",  "I3",  "I4",  "I5",  "I6",  "I7",  "I8",  "I9",  "I10", "I11", "I12", "I13",
      "I14", "I15", "I16", "I17", "I18", "I19", "I20", "I21", "I22", "I24", "I25", "I26", "I27",
      "I28", "I29", "I30", "I31", "I32", "I33", "I34", "I35", "I36", "I37", "I38", "I39"};
  EXPECT_EQ(ids, expected);
}

TEST(Checkers, KeepTheFirstViolation) {
  History history("I2");
  history.sends(Call::bootstrap, "cp2");
  history.records(RecordKind::bootstrap_target, "cp1");
  history.sends(Call::bootstrap, "cp3");
  EXPECT_EQ(history.violation(), "Bootstrap left for cp2 before any target was durable");
}

TEST(Truth, FindsMachinesByTheirNames) {
  History history("I1");
  ASSERT_NE(history.truth.find(NodeName("w1")), nullptr);
  EXPECT_EQ(history.truth.find(NodeName("w1"))->spec().name, NodeName("w1"));
  EXPECT_EQ(history.truth.find(NodeName("w9")), nullptr);
}

}  // namespace
}  // namespace ichor::sim
