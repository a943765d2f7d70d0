#pragma once

#include <vector>

#include "lab/talos/exchange.h"

namespace ichor::lab {

// The methods of Talos' API by subject; methods.cc lists them all.
const std::vector<Method>& system_methods();
const std::vector<Method>& lifecycle_methods();
const std::vector<Method>& etcd_methods();
const std::vector<Method>& service_methods();
const std::vector<Method>& stream_methods();
const std::vector<Method>& file_methods();
const std::vector<Method>& state_methods();
const std::vector<Method>& other_methods();

inline constexpr std::string_view kMachineService = "machine.MachineService";
inline constexpr Roles kAor = kAdmin | kOperator | kReader;

/// A method that reads its request: `serve` is called with it.
template <class Request>
void serve_request(Exchange& exchange, void (*serve)(Exchange&, const Request&)) {
  Request request;
  if (exchange.read(request)) serve(exchange, request);
}
template <auto serve>
void with(Exchange& exchange) {
  serve_request(exchange, serve);
}

/// Names one run of a sequence; what the machine does from now on is its actor's. To be called
/// before the sequence starts.
std::string new_actor(Exchange& exchange);

/// A reply with one item, which must be there even if it is empty.
template <class Response>
void reply_empty(Exchange& exchange) {
  Response response;
  response.add_messages();
  exchange.reply(response);
}

/// The reply of a mutation without a result.
template <class Response>
void reply_to(Exchange& exchange, const sim::Answer<void>& answer) {
  if (answer) {
    reply_empty<Response>(exchange);
  } else {
    exchange.refuse(answer.error());
  }
}

}  // namespace ichor::lab
