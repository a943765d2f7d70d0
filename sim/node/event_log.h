#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "sim/node/machine_view.h"
#include "sim/node/node.h"
#include "sim/node/sequences.h"

namespace ichor::sim {

/// The ring that Talos' event stream is read from. Entries are kept as numbers and static names,
/// and become text when they are read. Lost with the machine's memory.
class EventLog {
 public:
  explicit EventLog(bool recording) : recording_(recording) {}

  bool recording() const { return recording_; }
  void forget() { entries_.clear(); }

  void sequence(MonoTime at, SequenceName name, const char* action, const char* error = "");
  void phase(MonoTime at, const char* name, const char* action);
  void task(MonoTime at, const char* name, const char* action);
  /// START and STOP of a phase that takes no time, with its tasks.
  void whole_phase(MonoTime at, const PhaseScript& phase);
  void service(MonoTime at, Service service, ServiceState state, Remark remark);
  void status(MonoTime at, const StatusBrief& brief);
  void address(MonoTime at);
  void config_error(MonoTime at);
  void restart(MonoTime at, const char* command);

  /// The last 990 entries of which those with a greater id than `after_id`.
  std::vector<NodeEvent> read(std::uint64_t after_id, const NodeName& hostname,
                              const IpAddress& address) const;

 private:
  struct Entry {
    std::uint64_t id{0};
    MonoTime at{};
    NodeEvent::Kind kind{};
    Service service{};
    ServiceState state{};
    Remark remark{};
    StatusBrief brief;
    const char* name{""};
    const char* action{""};
    const char* message{""};
  };
  Entry* add(MonoTime at, NodeEvent::Kind kind);

  bool recording_;
  std::uint64_t next_id_{1};
  std::vector<Entry> entries_;
};

}  // namespace ichor::sim
