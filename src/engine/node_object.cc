#include "engine/node_object.h"

#include <algorithm>
#include <cctype>

#include "engine/act.h"
#include "model/json.h"

namespace ichor {

namespace {

constexpr Duration kCallLimit = std::chrono::seconds(30);

KubeRef ref_of_node(const NodeName& node) { return {kind_of("v1", "Node"), "", node.value()}; }

const KubeObject* part_of(const KubeObject& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

Task<CallResult<std::optional<NodeObject>>> see_node_object(Context context, KubeClient& kube,
                                                            const NodeName& node) {
  auto object = co_await kube.get(context.within(kCallLimit), ref_of_node(node));
  if (!object && object.error().code == Code::not_found) co_return std::optional<NodeObject>();
  if (!object) co_return forward_error(object);
  NodeObject seen;
  if (const KubeObject* metadata = part_of(*object, "metadata")) {
    seen.uid = text_in(*metadata, "uid");
  }
  const KubeObject* status = part_of(*object, "status");
  const KubeObject* info = status ? part_of(*status, "nodeInfo") : nullptr;
  if (info) seen.machine_uuid = text_in(*info, "systemUUID");
  std::ranges::transform(seen.machine_uuid, seen.machine_uuid.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  co_return std::optional(std::move(seen));
}

Task<Outcome> delete_node_object(Context context, Ledger& ledger, KubeClient& kube,
                                 const NodeName& node, const NodeObject& seen) {
  const KubeRef ref = ref_of_node(node);
  Mutation mutation;
  mutation.intent.kind = RecordKind::intent;
  mutation.intent.call = Call::kube_delete;
  mutation.intent.key = to_text(ref);
  mutation.send = [&]() -> Task<Outcome> {
    const auto removed = co_await kube.remove(context.within(kCallLimit), ref, seen.uid);
    const bool gone = !removed && removed.error().code == Code::not_found;
    co_return removed || gone ? Outcome::done() : Outcome::failed(removed.error());
  };
  mutation.tell = [](const CallError& error) { return std::string(name_of(error.code)); };
  co_return co_await carry_out(context, ledger, std::move(mutation));
}

}  // namespace ichor
