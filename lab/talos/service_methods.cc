
#include "lab/talos/methods.h"
#include "lab/talos/timestamp.h"
#include "machine.pb.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;

constexpr std::size_t kEventsKept = 64;

/// The events of one service, from the node's event log. A bootstrap replaces the etcd service by
/// a new one.
void add_history(Exchange& exchange, const ServiceStatus& service, machine::ServiceInfo& out) {
  std::vector<sim::NodeEvent> history;
  for (sim::NodeEvent& event : exchange.node().events()) {
    if (event.kind == sim::NodeEvent::Kind::service && event.name == service.id) {
      const bool replaced = event.message == "Bootstrap requested";
      if (replaced) history.clear();
      if (!replaced) history.push_back(std::move(event));
    }
  }
  const WallTime now = exchange.site().clock().wall();
  if (history.empty()) {
    machine::ServiceEvent& event = *out.mutable_events()->add_events();
    event.set_msg(service.last_message);
    event.set_state(service.state);
    *event.mutable_ts() = timestamp_of(now);
  }
  const std::size_t first = history.size() > kEventsKept ? history.size() - kEventsKept : 0;
  for (std::size_t i = first; i < history.size(); ++i) {
    machine::ServiceEvent& event = *out.mutable_events()->add_events();
    event.set_msg(history[i].message);
    event.set_state(history[i].action);
    *event.mutable_ts() = timestamp_of(exchange.site().wall_at(history[i].at));
  }
  machine::ServiceHealth& health = *out.mutable_health();
  health.set_unknown(service.health_unknown);
  health.set_healthy(service.healthy);
  health.set_last_message(service.healthy || service.health_unknown ? "" : service.last_message);
  *health.mutable_last_change() = out.events().events().rbegin()->ts();
}

void service_list(Exchange& exchange) {
  const auto services = exchange.node().services(exchange.caller());
  if (!services) {
    exchange.refuse(services.error());
    return;
  }
  machine::ServiceListResponse response;
  machine::ServiceList& list = *response.add_messages();
  for (const ServiceStatus& service : *services) {
    machine::ServiceInfo& out = *list.add_services();
    out.set_id(service.id);
    out.set_state(service.state);
    add_history(exchange, service, out);
  }
  exchange.reply(response);
}

bool has_service(Exchange& exchange, const std::string& id) {
  const auto services = exchange.node().services(exchange.caller());
  if (services) {
    for (const ServiceStatus& service : *services) {
      if (service.id == id) return true;
    }
  }
  exchange.end(Code::unknown, "service \"" + id + "\" not defined");
  return false;
}

void service_restart(Exchange& exchange, const machine::ServiceRestartRequest& request) {
  const auto restarted = exchange.node().restart_service(exchange.caller(), request.id());
  if (!restarted) {
    exchange.refuse(restarted.error());
    return;
  }
  machine::ServiceRestartResponse response;
  response.add_messages()->set_resp("Service \"" + request.id() + "\" restarted");
  exchange.reply(response);
}

void service_start(Exchange& exchange, const machine::ServiceStartRequest& request) {
  if (!has_service(exchange, request.id())) return;
  if (request.id() != "kubelet") {
    exchange.end(Code::unknown,
                 "service \"" + request.id() + "\" doesn't support start operation via API");
    return;
  }
  machine::ServiceStartResponse response;
  response.add_messages()->set_resp("Service \"" + request.id() + "\" started");
  exchange.reply(response);
}

void service_stop(Exchange& exchange, const machine::ServiceStopRequest& request) {
  if (!has_service(exchange, request.id())) return;
  exchange.end(Code::unknown,
               "service \"" + request.id() + "\" doesn't support stop operation via API");
}

void containers(Exchange& exchange, const machine::ContainersRequest& request) {
  machine::ContainersResponse response;
  machine::Container& list = *response.add_messages();
  const auto services = exchange.node().services(exchange.caller());
  if (services && request.namespace_() == "system") {
    for (const ServiceStatus& service : *services) {
      const bool contained = service.id == "apid" || service.id == "etcd" ||
                             service.id == "kubelet" || service.id == "trustd";
      if (!contained || service.state != "Running") continue;
      machine::ContainerInfo& out = *list.add_containers();
      out.set_namespace_("system");
      out.set_id(service.id);
      out.set_name(service.id);
      out.set_image("talos/" + service.id);
      out.set_pid(2000);
      out.set_status("RUNNING");
    }
  }
  exchange.reply(response);
}

void logs_containers(Exchange& exchange) {
  machine::LogsContainersResponse response;
  machine::LogsContainer& list = *response.add_messages();
  if (const auto services = exchange.node().services(exchange.caller())) {
    for (const ServiceStatus& service : *services) list.add_ids(service.id);
  }
  exchange.reply(response);
}

void image_pull(Exchange& exchange, const machine::ImagePullRequest& request) {
  const auto pulled = exchange.node().pull_image(exchange.caller(), request.reference());
  if (!pulled) {
    exchange.refuse(pulled.error());
    return;
  }
  reply_empty<machine::ImagePullResponse>(exchange);
}

void image_list(Exchange& exchange) {
  const auto config = exchange.machine().config();
  if (config) {
    machine::ImageListResponse image;
    image.set_name(config->kubelet_image);
    image.set_digest("sha256:" + std::string(64, '0'));
    image.set_size(100'000'000);
    exchange.send(image);
  }
  exchange.done();
}

}  // namespace

const std::vector<Method>& service_methods() {
  static const std::vector<Method> methods = {
      {kMachineService, "ServiceList", kAor, Kind::reads, service_list},
      {kMachineService, "ServiceRestart", kAdmin | kOperator, Kind::mutates, with<service_restart>},
      {kMachineService, "ServiceStart", kAdmin | kOperator, Kind::mutates, with<service_start>},
      {kMachineService, "ServiceStop", kAdmin | kOperator, Kind::mutates, with<service_stop>},
      {kMachineService, "Containers", kAor, Kind::reads, with<containers>},
      {kMachineService, "LogsContainers", kAor, Kind::reads, logs_containers},
      {kMachineService, "ImagePull", kAdmin | kOperator, Kind::mutates, with<image_pull>},
      {kMachineService, "ImageList", kAor, Kind::streams, image_list},
  };
  return methods;
}

}  // namespace ichor::lab
