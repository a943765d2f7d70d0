#include "talos/resources.h"

namespace ichor {

using cosi::resource::Resource;

Task<CallResult<std::optional<Resource>>> get_resource(Context context,
                                                       std::shared_ptr<Connection> connection,
                                                       Call call, std::string name_space,
                                                       std::string type, std::string id,
                                                       GetMethod how) {
  cosi::resource::GetRequest request;
  request.set_namespace_(name_space);
  request.set_type(type);
  request.set_id(id);
  request.mutable_options();  // as every client of Go sends it
  auto reply = co_await unary(context, connection, call, how, request);
  if (!reply) {
    const CallError& error = reply.error();
    const bool absent = error.progress == Progress::answered && error.code == Code::not_found;
    if (absent) co_return std::optional<Resource>();
    co_return tl::unexpected(error);
  }
  co_return std::optional(std::move(*reply->mutable_resource()));
}

Task<CallResult<std::vector<Resource>>> list_resources(Context context,
                                                       std::shared_ptr<Connection> connection,
                                                       Call call, std::string name_space,
                                                       std::string type) {
  cosi::resource::ListRequest request;
  request.set_namespace_(name_space);
  request.set_type(type);
  request.mutable_options();
  auto replies = co_await collect(context, connection, call, method::kListResources, request);
  if (!replies) co_return forward_error(replies);
  std::vector<Resource> resources;
  for (auto& reply : *replies) resources.push_back(std::move(*reply.mutable_resource()));
  co_return resources;
}

}  // namespace ichor
