#include <algorithm>
#include <functional>

#include "lab/talos/event_text.h"
#include "lab/talos/methods.h"
#include "machine.pb.h"
#include "machine_files.pb.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;

/// Follows the node's events for as long as a call is open.
class EventFollower final : public Stream {
 public:
  using OnEvent = std::function<void(const sim::NodeEvent&)>;

  /// Sends events with numbers above `after`, those of the past first.
  EventFollower(Exchange& exchange, std::uint64_t after, OnEvent on_event)
      : node_(exchange.node()), after_(after), on_event_(std::move(on_event)) {
    subscription_ = node_.subscribe([this] { look(); });
  }
  ~EventFollower() override { node_.unsubscribe(subscription_); }

  void look() {
    for (const sim::NodeEvent& event : node_.events(after_)) {
      after_ = event.id;
      on_event_(event);
    }
  }

 private:
  sim::Node& node_;
  std::uint64_t after_;
  OnEvent on_event_;
  sim::Node::Subscription subscription_;
};

std::uint64_t last_number(const std::vector<sim::NodeEvent>& events) {
  return events.empty() ? 0 : events.back().id;
}

/// After which event the stream begins.
std::uint64_t start_of(Exchange& exchange, const machine::EventsRequest& request) {
  const std::vector<sim::NodeEvent> past = exchange.node().events();
  const std::uint64_t newest = last_number(past);
  if (!request.tail_id().empty()) return number_of(request.tail_id()).value_or(newest);
  if (request.tail_events() < 0) return 0;
  if (request.tail_events() > 0) {
    const auto wanted = static_cast<std::size_t>(request.tail_events());
    return wanted >= past.size() ? 0 : past[past.size() - wanted - 1].id;
  }
  if (request.tail_seconds() > 0) {
    const std::int64_t from =
        exchange.site().clock().wall().unix_ms - std::int64_t{request.tail_seconds()} * 1000;
    std::uint64_t before = 0;
    for (const sim::NodeEvent& event : past) {
      if (exchange.site().wall_at(event.at).unix_ms < from) before = event.id;
    }
    return before;
  }
  return newest;
}

void events(Exchange& exchange, const machine::EventsRequest& request) {
  const std::string actor = request.with_actor_id();
  exchange.send(hello_event(exchange.site(), exchange.machine(), actor));
  auto follower = std::make_unique<EventFollower>(
      exchange, start_of(exchange, request), [&exchange, actor](const sim::NodeEvent& event) {
        const machine::Event out = to_wire(exchange.site(), exchange.machine(), event);
        if (actor.empty() || out.actor_id() == actor) exchange.send(out);
      });
  EventFollower& started = *follower;
  exchange.keep(std::move(follower));
  started.look();
}

void send_line(Exchange& exchange, const std::string& line) {
  if (line.empty()) return;
  common::Data data;
  data.set_bytes(line);
  exchange.send(data);
}

void dmesg(Exchange& exchange, const machine::DmesgRequest& request) {
  const std::vector<sim::NodeEvent> past = exchange.node().events();
  if (!request.tail()) {
    for (const sim::NodeEvent& event : past) {
      send_line(exchange, kernel_line(exchange.site(), event));
    }
  }
  if (!request.follow()) {
    exchange.done();
    return;
  }
  exchange.keep(std::make_unique<EventFollower>(
      exchange, last_number(past), [&exchange](const sim::NodeEvent& event) {
        send_line(exchange, kernel_line(exchange.site(), event));
      }));
}

std::string log_line(Site& site, const std::string& service, const sim::NodeEvent& event) {
  const bool relevant = event.kind == sim::NodeEvent::Kind::service
                            ? event.name == service
                            : service == "machined" && !kernel_line(site, event).empty();
  if (!relevant) return "";
  const std::string text = event.kind == sim::NodeEvent::Kind::service
                               ? event.action + ": " + event.message
                               : event.name + " " + event.action;
  return to_rfc3339(site.wall_at(event.at)) + " [" + service + "] " + text + "\n";
}

void logs(Exchange& exchange, const machine::LogsRequest& request) {
  const std::string id = request.id();
  const auto services = exchange.node().services(exchange.caller());
  bool known = false;
  for (const ServiceStatus& service : services ? *services : std::vector<ServiceStatus>()) {
    known |= service.id == id;
  }
  if (!known) {
    exchange.end(Code::unknown, "log \"" + id + "\" was not registered");
    return;
  }
  std::vector<std::string> lines;
  const std::vector<sim::NodeEvent> past = exchange.node().events();
  for (const sim::NodeEvent& event : past) {
    if (std::string line = log_line(exchange.site(), id, event); !line.empty()) {
      lines.push_back(std::move(line));
    }
  }
  // Zero means no history, a negative number all of it.
  const auto tail =
      request.tail_lines() < 0 ? lines.size() : static_cast<std::size_t>(request.tail_lines());
  for (std::size_t i = lines.size() - std::min(lines.size(), tail); i < lines.size(); ++i) {
    send_line(exchange, lines[i]);
  }
  if (!request.follow()) {
    exchange.done();
    return;
  }
  exchange.keep(std::make_unique<EventFollower>(
      exchange, last_number(past), [&exchange, id](const sim::NodeEvent& event) {
        send_line(exchange, log_line(exchange.site(), id, event));
      }));
}

}  // namespace

const std::vector<Method>& stream_methods() {
  static const std::vector<Method> methods = {
      {kMachineService, "Events", kAor, Kind::streams, with<events>},
      {kMachineService, "Dmesg", kAor, Kind::streams, with<dmesg>},
      {kMachineService, "Logs", kAor, Kind::streams, with<logs>},
  };
  return methods;
}

}  // namespace ichor::lab
