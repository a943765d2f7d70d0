#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "lab/kube/cluster.h"
#include "lab/net/tls_context.h"

namespace ichor::lab {

struct KubeRequest {
  std::string method;
  std::string target;  // path and query
  std::string accept;
  Peer peer;
  std::string content_type;
  std::string user_agent;
  std::string body;
  std::string authorization{};
};

/// An open watch and how its events look.
struct KubeWatch {
  std::shared_ptr<sim::WatchChannel> channel;
  std::vector<nlohmann::json> initial;  // objects that are sent first
  std::function<nlohmann::json(const nlohmann::json& object)> form;
  nlohmann::json bookmark;  // an object without a version
  bool initial_bookmark{false};
  std::string version;                         // of the initial objects
  std::function<std::string()> version_now{};  // of the cluster; set by whoever serves the watch
  Duration limit{};                            // zero: for as long as the client likes
};

/// An answer: a document, or a watch that goes on.
struct KubeReply {
  int status{200};
  std::string type{"application/json"};
  std::string body{};
  std::optional<KubeWatch> watch{};
  std::string reason{};  // of the status line; empty: the usual one
};

/// Answers requests to a cluster's API. Anonymous callers get nothing, as Talos has it.
KubeReply answer(const KubeRequest& request, KubeCluster& cluster, WallTime now);

}  // namespace ichor::lab
