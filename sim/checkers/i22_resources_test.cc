#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

// Four nodes: eight connections, nine calls, 576 records.

TEST(Resources, HoldForTwoConnectionsPerNode) {
  History history("I22");
  history.checker->on_sessions(1, 8);
  for (int i = 0; i < 100; ++i) history.reads(Call::machine_status, "cp1");
  EXPECT_EQ(history.violation(), "");
}

TEST(Resources, AreBrokenByConnectionsThatPileUp) {
  History history("I22");
  history.checker->on_sessions(1, 9);
  EXPECT_EQ(history.violation(), "run 1 holds 9 connections to 4 nodes");
}

TEST(Resources, AreBrokenByCallsThatPileUp) {
  History history("I22");
  for (int i = 0; i < 9; ++i) history.sends(Call::machine_status, "cp1");
  EXPECT_EQ(history.violation(), "");
  history.sends(Call::machine_status, "cp1");
  EXPECT_EQ(history.violation(), "run 1 has 10 calls in flight");
}

TEST(Resources, AreBrokenByAJournalThatGrowsWithoutEnd) {
  History history("I22");
  for (int i = 0; i < 576; ++i) history.records(RecordKind::observed, "cp1");
  EXPECT_EQ(history.violation(), "");
  history.records(RecordKind::observed, "cp1");
  EXPECT_EQ(history.violation(), "a run wrote 577 records");
}

TEST(Resources, AreBrokenByATextWithoutEnd) {
  History history("I22");
  history.records(RecordKind::outcome, "cp1", std::string(4097, 'x'));
  EXPECT_EQ(history.violation(), "a record has 4097 bytes, and 4096 are allowed");
}

TEST(Resources, AreBrokenByAnEventWithoutEnd) {
  History history("I22");
  Event event;
  event.text = std::string(5000, 'x');
  history.checker->on_event(1, event);
  EXPECT_EQ(history.violation(), "an event has 5000 bytes, and 4096 are allowed");
}

}  // namespace
}  // namespace ichor::sim
