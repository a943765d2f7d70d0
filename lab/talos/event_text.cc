#include "lab/talos/event_text.h"

#include <array>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "machine_events.pb.h"
#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

using sim::NodeEvent;

constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuv";
constexpr std::size_t kIdBytes = 12;
constexpr std::int64_t kRebootCommand = 0x1234567;     // LINUX_REBOOT_CMD_RESTART
constexpr std::int64_t kPowerOffCommand = 0x4321fedc;  // LINUX_REBOOT_CMD_POWER_OFF

void pack(machine::Event& out, const char* name, const google::protobuf::MessageLite& message) {
  out.mutable_data()->set_type_url(std::string("talos/runtime/machine.") + name);
  out.mutable_data()->set_value(message.SerializeAsString());
}

machine::ServiceStateEvent::Action state_action(const std::string& state) {
  std::string upper = state;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  auto action = machine::ServiceStateEvent::INITIALIZED;
  (void)machine::ServiceStateEvent::Action_Parse(upper, &action);
  return action;
}

void pack_sequence(machine::Event& out, const NodeEvent& event) {
  machine::SequenceEvent message;
  message.set_sequence(event.name);
  message.set_action(event.action == "START"  ? machine::SequenceEvent::START
                     : event.action == "STOP" ? machine::SequenceEvent::STOP
                                              : machine::SequenceEvent::NOOP);
  if (!event.message.empty()) {
    const bool locked = event.message.ends_with("locked");
    message.mutable_error()->set_code(locked ? common::LOCKED : common::FATAL);
    message.mutable_error()->set_message(event.message);
  }
  pack(out, "SequenceEvent", message);
}

void pack_service(machine::Event& out, const NodeEvent& event) {
  machine::ServiceStateEvent message;
  message.set_service(event.name);
  message.set_action(state_action(event.action));
  message.set_message(event.message);
  const bool healthy = event.message == "Health check successful";
  const bool unhealthy = event.message.starts_with("Health check failed");
  message.mutable_health()->set_healthy(healthy);
  message.mutable_health()->set_unknown(!healthy && !unhealthy);
  pack(out, "ServiceStateEvent", message);
}

void pack_status(machine::Event& out, const MachineStatus& status) {
  machine::MachineStatusEvent message;
  message.set_stage(static_cast<machine::MachineStatusEvent::MachineStage>(status.stage));
  message.mutable_status()->set_ready(status.ready);
  for (const UnmetCondition& unmet : status.unmet) {
    auto& condition = *message.mutable_status()->add_unmet_conditions();
    condition.set_name(unmet.name);
    condition.set_reason(unmet.reason);
  }
  pack(out, "MachineStatusEvent", message);
}

template <class Message>
typename Message::Action start_or_stop(const std::string& action) {
  return action == "STOP" ? Message::STOP : Message::START;
}

void pack_data(machine::Event& out, const NodeEvent& event) {
  switch (event.kind) {
    case NodeEvent::Kind::sequence: pack_sequence(out, event); break;
    case NodeEvent::Kind::phase: {
      machine::PhaseEvent message;
      message.set_phase(event.name);
      message.set_action(start_or_stop<machine::PhaseEvent>(event.action));
      pack(out, "PhaseEvent", message);
      break;
    }
    case NodeEvent::Kind::task: {
      machine::TaskEvent message;
      message.set_task(event.name);
      message.set_action(start_or_stop<machine::TaskEvent>(event.action));
      pack(out, "TaskEvent", message);
      break;
    }
    case NodeEvent::Kind::service: pack_service(out, event); break;
    case NodeEvent::Kind::machine_status: pack_status(out, event.status); break;
    case NodeEvent::Kind::address: {
      machine::AddressEvent message;
      message.set_hostname(event.name);
      if (!event.message.empty()) message.add_addresses(event.message);
      pack(out, "AddressEvent", message);
      break;
    }
    case NodeEvent::Kind::config_error: {
      machine::ConfigLoadErrorEvent message;
      message.set_error(event.message);
      pack(out, "ConfigLoadErrorEvent", message);
      break;
    }
    case NodeEvent::Kind::restart: {
      machine::RestartEvent message;
      message.set_cmd(event.name == "power off" ? kPowerOffCommand : kRebootCommand);
      pack(out, "RestartEvent", message);
      break;
    }
  }
}

}  // namespace

std::string event_id(WallTime time, const BootId& boot, std::uint64_t number) {
  std::array<std::uint8_t, kIdBytes> bytes{};
  const auto seconds = static_cast<std::uint32_t>(time.unix_ms / 1000);
  const std::uint64_t origin = sim::head_of(sim::quick_digest(boot.value()));
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(seconds >> (24 - 8 * i));
  for (int i = 0; i < 5; ++i) bytes[4 + i] = static_cast<std::uint8_t>(origin >> (8 * i));
  for (int i = 0; i < 3; ++i) bytes[9 + i] = static_cast<std::uint8_t>(number >> (16 - 8 * i));
  std::string id;
  unsigned pending = 0;
  int bits = 0;
  for (const std::uint8_t byte : bytes) {
    pending = pending << 8 | byte;
    for (bits += 8; bits >= 5; bits -= 5) id += kLetters[pending >> (bits - 5) & 31];
  }
  id += kLetters[pending << (5 - bits) & 31];
  return id;
}

std::optional<std::uint64_t> number_of(const std::string& event_id) {
  if (event_id.size() != 20) return std::nullopt;
  std::string bytes;
  unsigned pending = 0;
  int bits = 0;
  for (const char letter : event_id) {
    const std::size_t value = kLetters.find(letter);
    if (value == kLetters.npos) return std::nullopt;
    pending = pending << 5 | static_cast<unsigned>(value);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(pending >> bits & 255);
    }
  }
  std::uint64_t number = 0;
  for (std::size_t i = 9; i < kIdBytes; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

machine::Event to_wire(Site& site, Machine& machine, const NodeEvent& event) {
  machine::Event out;
  pack_data(out, event);
  out.set_id(event_id(site.wall_at(event.at), machine.node().boot_id(), event.id));
  const bool acts = event.kind == NodeEvent::Kind::sequence ||
                    event.kind == NodeEvent::Kind::phase || event.kind == NodeEvent::Kind::task;
  if (acts && event.id > machine.actor.since) out.set_actor_id(machine.actor.id);
  return out;
}

machine::Event hello_event(Site& site, Machine& machine, const std::string& actor) {
  machine::Event out;
  out.mutable_data();
  out.set_id(event_id(site.clock().wall(), machine.node().boot_id(), 0));
  out.set_actor_id(actor);
  return out;
}

std::string to_rfc3339(WallTime time) {
  const auto seconds = static_cast<std::time_t>(time.unix_ms / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), time.unix_ms % 1000);
}

std::string kernel_line(Site& site, const NodeEvent& event) {
  std::string text;
  switch (event.kind) {
    case NodeEvent::Kind::sequence:
      text = event.action == "START"  ? fmt::format("{} sequence: started", event.name)
             : event.action == "STOP" ? fmt::format("{} sequence: done", event.name)
                                      : fmt::format("{} sequence: {}", event.name, event.message);
      break;
    case NodeEvent::Kind::phase:
      text = fmt::format("phase {}: {}", event.name, event.action == "START" ? "starting" : "done");
      break;
    case NodeEvent::Kind::task:
      text = fmt::format("task {}: {}", event.name, event.action == "START" ? "starting" : "done");
      break;
    case NodeEvent::Kind::service:
      text = fmt::format("service[{}]({}): {}", event.name, event.action, event.message);
      break;
    case NodeEvent::Kind::address: text = fmt::format("assigned address {}", event.message); break;
    case NodeEvent::Kind::config_error: text = "config load error: " + event.message; break;
    default: return "";
  }
  return fmt::format("user: {:>7}: [{}]: [talos] {}\n", "warning",
                     to_rfc3339(site.wall_at(event.at)), text);
}

}  // namespace ichor::lab
