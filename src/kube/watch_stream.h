#pragma once

#include <memory>
#include <string>

#include "port/kube_client.h"
#include "web/http_pool.h"

namespace ichor {

/// Opens a watch on a connection of its own.
Task<CallResult<std::unique_ptr<KubeStream>>> open_watch_stream(Context context, HttpPool& pool,
                                                                std::string target);

}  // namespace ichor
