
#include "cosi_state.pb.h"
#include "lab/cosi/kinds.h"
#include "lab/talos/methods.h"
#include "lab/talos/state_watch.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;
constexpr std::string_view kState = "cosi.resource.State";

void get(Exchange& exchange, const cosi::resource::GetRequest& request) {
  const auto kind = readable_kind(exchange, request.namespace_(), request.type());
  if (!kind) {
    exchange.refuse(kind.error());
    return;
  }
  const auto& resources = current_resources(exchange.site(), exchange.machine(), **kind);
  const auto found = resources.find({request.namespace_(), request.id()});
  if (found == resources.end() || request.type() != (*kind)->type) {
    exchange.end(Code::not_found, "resource " + request.type() + "(" + request.namespace_() + "/" +
                                      request.id() + "@undefined) doesn't exist");
    return;
  }
  cosi::resource::GetResponse response;
  *response.mutable_resource() = to_wire(**kind, found->second);
  exchange.reply(response);
}

void list(Exchange& exchange, const cosi::resource::ListRequest& request) {
  if (auto good = ResourceFilter::judge(request.options().label_query(),
                                        request.options().id_query().regexp());
      !good) {
    exchange.refuse(good.error());
    return;
  }
  const auto kind = readable_kind(exchange, request.namespace_(), request.type());
  if (!kind) {
    exchange.refuse(kind.error());
    return;
  }
  const ResourceFilter filter(request.namespace_(), request.options().label_query(),
                              request.options().id_query().regexp());
  const auto& resources = current_resources(exchange.site(), exchange.machine(), **kind);
  for (const auto& [key, resource] : resources) {
    if (request.type() != (*kind)->type || !filter.takes(resource)) continue;
    cosi::resource::ListResponse response;
    *response.mutable_resource() = to_wire(**kind, resource);
    exchange.send(response);
  }
  exchange.done();
}

void watch(Exchange& exchange, const cosi::resource::WatchRequest& request) {
  // machined looks into the options before anything else, and does not ask whether they are there.
  if (!request.has_options()) {
    exchange.end(Code::internal,
                 "runtime error: invalid memory address or nil pointer dereference");
    return;
  }
  // The queries are of a watch of many; that of one is refused for having any.
  const auto good =
      ResourceFilter::judge(request.options().label_query(), request.options().id_query().regexp());
  if (!request.has_id() && !good) {
    exchange.refuse(good.error());
    return;
  }
  const auto kind = readable_kind(exchange, request.namespace_(), request.type());
  if (!kind) {
    exchange.refuse(kind.error());
    return;
  }
  start_watch(exchange, **kind, request);
}

void write(Exchange& exchange) {
  exchange.end(Code::permission_denied, "write access is not allowed");
}

}  // namespace

const std::vector<Method>& state_methods() {
  static const std::vector<Method> methods = {
      {kState, "Get", kAor, Kind::reads, with<get>},
      {kState, "List", kAor, Kind::streams, with<list>},
      {kState, "Watch", kAor, Kind::streams, with<watch>},
      {kState, "Create", kAdmin, Kind::reads, write},
      {kState, "Update", kAdmin, Kind::reads, write},
      {kState, "Destroy", kAdmin, Kind::reads, write},
  };
  return methods;
}

}  // namespace ichor::lab
