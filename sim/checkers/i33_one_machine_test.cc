#include <gtest/gtest.h>

#include "sim/checkers/machines_history.h"

namespace ichor::sim {
namespace {

TEST(OneMachine, AMachineIsCreatedOnce) {
  MachinesHistory history("I33");
  history.asks(VmDeed::create, 801);
  history.creates(801);
  history.passes(std::chrono::seconds(10));
  history.asks(VmDeed::start, 801);
  EXPECT_EQ(history.violation(), "");
}

TEST(OneMachine, IsNotAskedForAgainWhileItIsMade) {
  MachinesHistory history("I33");
  history.creates(801);
  history.asks(VmDeed::create, 801);
  EXPECT_EQ(history.violation(), "run 1 asked for VM 801, which is being made");
}

TEST(OneMachine, NorWhenItExists) {
  MachinesHistory history("I33");
  history.creates(801);
  history.passes(std::chrono::seconds(10));
  history.asks(VmDeed::create, 801);
  EXPECT_EQ(history.violation(), "run 1 asked for VM 801, which exists");
}

TEST(OneMachine, WhatFailedMayBeMadeAgain) {
  MachinesHistory history("I33");
  history.host.verdict = [](const ProviderTask&) { return "out of space"; };
  history.creates(801);
  history.passes(std::chrono::seconds(10));
  history.asks(VmDeed::create, 801);
  EXPECT_EQ(history.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
