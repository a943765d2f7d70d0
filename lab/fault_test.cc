#include "lab/fault.h"

#include <gtest/gtest.h>
#include <set>

#include "lab/wire_faults.h"

namespace ichor::lab {
namespace {

TEST(FaultKinds, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const FaultKind& kind : fault_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
    EXPECT_FALSE(kind.lasts && kind.of_call) << kind.name;
  }
}

TEST(FaultPlan, NamesTheCallThatAFaultStrikes) {
  const auto plan =
      read_fault_plan("- {at: 30s, node: cp1, fault: lost-reply, call: Bootstrap}\n", "plan.yaml");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->size(), 1u);
  EXPECT_EQ(plan->front().injection.call, "Bootstrap");
  EXPECT_FALSE(read_fault_plan("- {fault: meteor}\n", "plan.yaml"));
}

TEST(CallFaults, StrikeOnceAndOnlyWhatTheyMean) {
  WireFaults faults;
  faults.calls = {{CallFault::Kind::lose_reply, "Bootstrap"}, {CallFault::Kind::unavailable, ""}};
  const std::string bootstrap = "/machine.MachineService/Bootstrap";
  CallFault taken;
  EXPECT_FALSE(faults.take("/machine.MachineService/Version", false, true, taken));
  EXPECT_TRUE(faults.take("/machine.MachineService/Reset", true, true, taken));
  EXPECT_EQ(taken.kind, CallFault::Kind::unavailable);
  EXPECT_FALSE(faults.take(bootstrap, true, true, taken)) << "it does not prevent the call";
  EXPECT_TRUE(faults.take(bootstrap, true, false, taken));
  EXPECT_EQ(taken.kind, CallFault::Kind::lose_reply);
  EXPECT_FALSE(faults.take(bootstrap, true, false, taken));
}

}  // namespace
}  // namespace ichor::lab
