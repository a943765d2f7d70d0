#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "talos/decode.h"
#include "talos/rpc.h"

namespace ichor {

/// One resource by its id; nullopt if the node has none. `how` is method::kGet or one like it.
using GetMethod = UnaryMethod<cosi::resource::GetRequest, cosi::resource::GetResponse>;
Task<CallResult<std::optional<cosi::resource::Resource>>> get_resource(
    Context context, std::shared_ptr<Connection> connection, Call call, std::string name_space,
    std::string type, std::string id, GetMethod how = method::kGet);

/// All resources of a type.
Task<CallResult<std::vector<cosi::resource::Resource>>> list_resources(
    Context context, std::shared_ptr<Connection> connection, Call call, std::string name_space,
    std::string type);

/// The spec of one resource; nullopt if the node has none.
template <class Spec>
Task<CallResult<std::optional<Spec>>> get_spec(Context context,
                                               std::shared_ptr<Connection> connection, Call call,
                                               std::string name_space, std::string type,
                                               std::string id, GetMethod how = method::kGet) {
  auto got = co_await get_resource(context, connection, call, name_space, type, id, how);
  if (!got) co_return forward_error(got);
  if (!*got) co_return std::optional<Spec>();
  auto spec = spec_of<Spec>(**got);
  if (!spec) co_return tl::unexpected(bad_reply(call, type + " cannot be decoded"));
  co_return spec;
}

template <class Spec>
Task<CallResult<std::vector<Named<Spec>>>> list_specs(Context context,
                                                      std::shared_ptr<Connection> connection,
                                                      Call call, std::string name_space,
                                                      std::string type) {
  auto listed = co_await list_resources(context, connection, call, name_space, type);
  if (!listed) co_return forward_error(listed);
  std::vector<Named<Spec>> specs;
  for (const cosi::resource::Resource& resource : *listed) {
    auto spec = spec_of<Spec>(resource);
    if (!spec) co_return tl::unexpected(bad_reply(call, type + " cannot be decoded"));
    specs.push_back({resource.metadata().id(), *std::move(spec)});
  }
  co_return specs;
}

}  // namespace ichor
