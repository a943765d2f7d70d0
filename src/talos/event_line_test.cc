#include "talos/event_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine_events.pb.h"

namespace ichor {
namespace {

using testing::ElementsAre;

template <class Message>
machine::Event wrapped(const char* name, const Message& message) {
  machine::Event event;
  event.mutable_data()->set_type_url(std::string("talos/runtime/machine.") + name);
  event.mutable_data()->set_value(message.SerializeAsString());
  return event;
}

TEST(EventLine, AFailedSequenceSaysWhy) {
  machine::SequenceEvent sequence;
  sequence.set_sequence("install");
  sequence.set_action(machine::SequenceEvent::NOOP);
  sequence.mutable_error()->set_message("sequence failed: failed to pull image");
  EXPECT_EQ(event_line(wrapped("SequenceEvent", sequence)),
            "sequence install NOOP: sequence failed: failed to pull image");
}

TEST(EventLine, AStageComesWithWhatIsUnmet) {
  machine::MachineStatusEvent status;
  status.set_stage(machine::MachineStatusEvent::BOOTING);
  auto& unmet = *status.mutable_status()->add_unmet_conditions();
  unmet.set_name("services");
  unmet.set_reason("etcd not running");
  EXPECT_EQ(event_line(wrapped("MachineStatusEvent", status)),
            "stage booting; unmet: services (etcd not running)");
}

TEST(EventLine, TheGreetingAndUnknownKindsSayNothing) {
  EXPECT_EQ(event_line(machine::Event()), "");
  EXPECT_EQ(event_line(wrapped("SomethingNew", machine::SequenceEvent())), "");
}

TEST(LastLines, AreTheLastOnesInTheirOrder) {
  EXPECT_THAT(last_lines("a\nb\n\nc\n", 2), ElementsAre("b", "c"));
  EXPECT_THAT(last_lines("a", 5), ElementsAre("a"));
  EXPECT_THAT(last_lines("\n\n", 5), ElementsAre());
  EXPECT_THAT(last_lines("a\nb", 0), ElementsAre());
}

}  // namespace
}  // namespace ichor
