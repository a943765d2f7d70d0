#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "lab/kube/object_store.h"
#include "lab/net/tls_context.h"

namespace ichor::lab {

struct KubeRequest {
  std::string method;
  std::string target;  // path and query
  std::string accept;
  Peer peer;
};

/// What a watch is about and how its events look.
struct KubeWatch {
  std::string plural;
  std::string space;
  std::function<bool(const nlohmann::json&)> takes;
  std::function<nlohmann::json(const nlohmann::json& object, std::uint64_t version)> form;
  nlohmann::json bookmark;  // an object without a version
  bool initial_events{false};
  bool initial_bookmark{false};
  std::uint64_t since{0};  // without initial events
  Duration limit{};        // zero: for as long as the client likes
};

/// An answer: a document, or a watch that goes on.
struct KubeReply {
  int status{200};
  std::string type{"application/json"};
  std::string body;
  std::optional<KubeWatch> watch;
};

/// Answers requests to a cluster's API from its store. Reads only; anonymous callers get nothing,
/// as Talos has it.
KubeReply answer(const KubeRequest& request, const ObjectStore& store,
                 const std::string& kubernetes_version, WallTime now);

}  // namespace ichor::lab
