#include "sim/node/event_log.h"

#include <algorithm>

namespace ichor::sim {

namespace {

constexpr std::size_t kHistory = 990;

}  // namespace

EventLog::Entry* EventLog::add(MonoTime at, NodeEvent::Kind kind) {
  if (!recording_) return nullptr;
  // Twice the history, then half of it is dropped at once: cheaper than a ring to read and to
  // reason about.
  if (entries_.size() >= 2 * kHistory) {
    entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(kHistory));
  }
  Entry& entry = entries_.emplace_back();
  entry.id = next_id_++;
  entry.at = at;
  entry.kind = kind;
  return &entry;
}

void EventLog::sequence(MonoTime at, SequenceName name, const char* action, const char* error) {
  if (Entry* entry = add(at, NodeEvent::Kind::sequence)) {
    entry->name = name_of(name);
    entry->action = action;
    entry->message = error;
  }
}

void EventLog::phase(MonoTime at, const char* name, const char* action) {
  if (Entry* entry = add(at, NodeEvent::Kind::phase)) {
    entry->name = name;
    entry->action = action;
  }
}

void EventLog::task(MonoTime at, const char* name, const char* action) {
  if (Entry* entry = add(at, NodeEvent::Kind::task)) {
    entry->name = name;
    entry->action = action;
  }
}

void EventLog::whole_phase(MonoTime at, const PhaseScript& script) {
  if (!recording_) return;
  phase(at, script.name, "START");
  for (const char* name : script.tasks) task(at, name, "START");
  for (const char* name : script.tasks) task(at, name, "STOP");
  phase(at, script.name, "STOP");
}

void EventLog::service(MonoTime at, Service service, ServiceState state, Remark remark) {
  if (Entry* entry = add(at, NodeEvent::Kind::service)) {
    entry->service = service;
    entry->state = state;
    entry->remark = remark;
  }
}

void EventLog::status(MonoTime at, const StatusBrief& brief) {
  if (Entry* entry = add(at, NodeEvent::Kind::machine_status)) entry->brief = brief;
}

void EventLog::address(MonoTime at) { add(at, NodeEvent::Kind::address); }

void EventLog::config_error(MonoTime at) { add(at, NodeEvent::Kind::config_error); }

void EventLog::restart(MonoTime at, const char* command) {
  if (Entry* entry = add(at, NodeEvent::Kind::restart)) entry->name = command;
}

std::vector<NodeEvent> EventLog::read(std::uint64_t after_id, const NodeName& hostname,
                                      const IpAddress& address) const {
  std::vector<NodeEvent> events;
  const std::size_t shown = std::min(entries_.size(), kHistory);
  for (auto entry = entries_.end() - static_cast<std::ptrdiff_t>(shown); entry != entries_.end();
       ++entry) {
    if (entry->id <= after_id) continue;
    NodeEvent& event = events.emplace_back();
    event.kind = entry->kind;
    event.id = entry->id;
    event.at = entry->at;
    event.name = entry->name;
    event.action = entry->action;
    event.message = entry->message;
    if (entry->kind == NodeEvent::Kind::service) {
      event.name = name_of(entry->service);
      event.action = name_of(entry->state);
      event.message = text_of(entry->service, entry->remark);
    } else if (entry->kind == NodeEvent::Kind::machine_status) {
      event.status = render(entry->brief, hostname);
    } else if (entry->kind == NodeEvent::Kind::address) {
      event.name = hostname.value();
      event.message = address.value();
    }
  }
  return events;
}

}  // namespace ichor::sim
