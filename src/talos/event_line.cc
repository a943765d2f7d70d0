#include "talos/event_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/clean_text.h"
#include "machine_events.pb.h"
#include "model/node.h"

namespace ichor {

namespace {

constexpr std::size_t kLineBytesMax = 300;

template <class Message>
std::optional<Message> unpack(const machine::Event& event) {
  // The prefix of the type is Talos' own, so only the name after it counts.
  const std::string& type = event.data().type_url();
  const std::string name = Message().GetTypeName();
  Message message;
  if (!type.ends_with("/" + name) || !message.ParseFromString(event.data().value())) {
    return std::nullopt;
  }
  return message;
}

std::string sequence_line(const machine::SequenceEvent& event) {
  std::string line = fmt::format("sequence {} {}", event.sequence(),
                                 machine::SequenceEvent::Action_Name(event.action()));
  if (!event.error().message().empty()) line += ": " + event.error().message();
  return line;
}

std::string status_line(const machine::MachineStatusEvent& event) {
  std::string line = fmt::format("stage {}", name_of(static_cast<Stage>(event.stage())));
  for (const auto& unmet : event.status().unmet_conditions()) {
    line += fmt::format("; unmet: {} ({})", unmet.name(), unmet.reason());
  }
  return line;
}

std::string raw_line(const machine::Event& event) {
  if (const auto sequence = unpack<machine::SequenceEvent>(event)) return sequence_line(*sequence);
  if (const auto phase = unpack<machine::PhaseEvent>(event)) {
    return fmt::format("phase {} {}", phase->phase(),
                       machine::PhaseEvent::Action_Name(phase->action()));
  }
  if (const auto task = unpack<machine::TaskEvent>(event)) {
    return fmt::format("task {} {}", task->task(), machine::TaskEvent::Action_Name(task->action()));
  }
  if (const auto service = unpack<machine::ServiceStateEvent>(event)) {
    return fmt::format("service {} {}: {}", service->service(),
                       machine::ServiceStateEvent::Action_Name(service->action()),
                       service->message());
  }
  if (const auto status = unpack<machine::MachineStatusEvent>(event)) return status_line(*status);
  if (const auto error = unpack<machine::ConfigLoadErrorEvent>(event)) {
    return "config error: " + error->error();
  }
  return {};
}

}  // namespace

std::string event_line(const machine::Event& event) {
  return clean_text(raw_line(event), kLineBytesMax);
}

std::vector<std::string> last_lines(std::string_view text, int count) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < static_cast<std::size_t>(std::max(count, 0))) {
    const std::size_t end = text.find_last_not_of('\n');
    if (end == std::string_view::npos) break;
    text = text.substr(0, end + 1);
    const std::size_t start = text.rfind('\n') + 1;  // npos + 1 is the beginning
    lines.push_back(clean_text(text.substr(start), kLineBytesMax));
    text = text.substr(0, start);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace ichor
