#include "lab/talos/methods.h"

#include <fmt/format.h>
#include <map>

namespace ichor::lab {

namespace {

using Key = std::pair<std::string_view, std::string_view>;

const std::map<Key, const Method*>& all_methods() {
  static const std::map<Key, const Method*> all = [] {
    std::map<Key, const Method*> methods;
    for (const auto* list :
         {&system_methods(), &lifecycle_methods(), &etcd_methods(), &service_methods(),
          &stream_methods(), &file_methods(), &state_methods(), &other_methods()}) {
      for (const Method& method : *list) methods[{method.service, method.name}] = &method;
    }
    return methods;
  }();
  return all;
}

}  // namespace

const Method* find_method(std::string_view service, std::string_view name) {
  const auto found = all_methods().find({service, name});
  return found == all_methods().end() ? nullptr : found->second;
}

bool knows_service(std::string_view service) {
  const auto next = all_methods().lower_bound({service, ""});
  return next != all_methods().end() && next->first.first == service;
}

std::string new_actor(Exchange& exchange) {
  const std::uint64_t high = exchange.site().random().next();
  const std::uint64_t low = exchange.site().random().next();
  const auto events = exchange.node().events();
  exchange.machine().actor = {
      fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                  high & 0xfff, (low >> 48) & 0xfff, low & 0xffffffffffff),
      events.empty() ? 0 : events.back().id};
  return exchange.machine().actor.id;
}

}  // namespace ichor::lab
