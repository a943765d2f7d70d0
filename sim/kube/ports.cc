#include "sim/kube/ports.h"

#include <utility>

#include "async/slot.h"
#include "phase/kubernetes/json_view.h"
#include "sim/hang.h"
#include "sim/kube/kubernetes.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

CallError failed(Call call, Progress progress, Code code, std::string text) {
  return {call, progress, TlsVerdict::fine, code, std::move(text)};
}

CallError ended(Call call, Wake wake) {
  if (wake == Wake::cancelled) {
    return failed(call, Progress::sent, Code::cancelled, "context canceled");
  }
  return failed(call, Progress::sent, Code::deadline_exceeded, "context deadline exceeded");
}

KubeRef any_of(const KubeKind& kind) {
  KubeRef ref;
  ref.kind = kind;
  return ref;
}

/// One call under way: shared by the network, which outlives the run, and the run that waits.
template <class T>
struct Flight {
  Flight(SimWorld& to, KubeRequest what, std::function<CallResult<T>()> how)
      : world(to),
        request(std::move(what)),
        passage(to.kube_passage(request)),
        execute(std::move(how)) {}

  SimWorld& world;
  KubeRequest request;
  KubePassage passage;
  std::function<CallResult<T>()> execute;
  Slot<CallResult<T>> slot;
};

template <class T>
void answer(const std::shared_ptr<Flight<T>>& flight, CallResult<T> result, Duration after = {}) {
  VirtualClock& clock = flight->world.clock();
  const Duration back = flight->world.plan().latency + flight->passage.delay + after;
  clock.call_at(later(clock.now(), back), [flight, result = std::move(result)]() mutable {
    flight->slot.set(std::move(result));
  });
}

/// The request is at the API server.
template <class T>
void arrive(const std::shared_ptr<Flight<T>>& flight) {
  SimWorld& world = flight->world;
  const KubeRequest& request = flight->request;
  const KubePassage& passage = flight->passage;
  SimKubernetes& kube = *world.kube();
  if (!kube.up() || !world.endpoint_serves() || passage.refuse) {
    const CallError refused =
        failed(request.call, Progress::not_sent, Code::unavailable, "connect: connection refused");
    return answer<T>(flight, tl::unexpected(refused));
  }
  if (passage.answer) {
    const CallError said =
        failed(request.call, Progress::answered, passage.answer->code, passage.answer->text);
    return answer<T>(flight, tl::unexpected(said));
  }
  if (request.call == Call::kube_apply) {
    if (auto refusal = kube.api().admission(request.call, request.ref)) {
      return answer<T>(flight, tl::unexpected(std::move(refusal->error)), refusal->after);
    }
  }
  CallResult<T> result = flight->execute();
  if (result && mutates(request.call) && request.changes_something()) {
    world.note_kube_effect(request);
  }
  if (passage.lose_reply) return;
  if (passage.break_after) {
    const CallError cut = failed(request.call, Progress::sent, Code::unavailable, "EOF");
    return answer<T>(flight, tl::unexpected(cut));
  }
  answer<T>(flight, std::move(result));
}

}  // namespace

template <class T>
Task<CallResult<T>> SimKubeClient::carry(Context context, KubeRequest request, Execute<T> execute) {
  const std::string_view what = name_of(request.call);
  if (world_.crash_here(process_, {CrashSite::before_call, what})) co_await hang(world_.clock());
  request.process = process_;
  world_.note_kube_request(request);
  // What is sent may be gone when it arrives.
  auto flight = std::make_shared<Flight<T>>(world_, request, std::move(execute));
  if (!flight->passage.lose_request) {
    const Duration there = world_.plan().latency + flight->passage.delay;
    world_.clock().call_at(later(world_.clock().now(), there), [flight] { arrive(flight); });
  }
  const std::shared_ptr<Slot<CallResult<T>>> slot(flight, &flight->slot);
  const Wake wake = co_await Slot<CallResult<T>>::ready(slot, context);
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  CallResult<T> result =
      wake == Wake::signalled ? slot->take() : tl::unexpected(ended(request.call, wake));
  world_.note_kube_reply(request, result ? nullptr : &result.error());
  if (world_.crash_here(process_, {CrashSite::after_call, what})) co_await hang(world_.clock());
  co_return result;
}

template <class T>
Task<CallResult<T>> SimKubeClient::read(Context context, KubeRef ref, Execute<T> execute) {
  KubeRequest request;
  request.call = Call::kube_read;
  request.ref = std::move(ref);
  return carry<T>(context, std::move(request), std::move(execute));
}

Task<CallResult<void>> SimKubeClient::ready(Context context) {
  KubeRequest request;
  request.call = Call::kube_ready;
  return carry<void>(context, std::move(request), [] { return CallResult<void>(); });
}

Task<CallResult<KubeResource>> SimKubeClient::find_kind(Context context, KubeKind kind) {
  const ApiServer& api = world_.kube()->api();
  return read<KubeResource>(context, any_of(kind), [&api, kind]() -> CallResult<KubeResource> {
    if (const KubeResource* resource = api.served(kind)) return *resource;
    return tl::unexpected(
        failed(Call::kube_read, Progress::answered, Code::not_found, kind.kind + " is not served"));
  });
}

Task<CallResult<KubeObject>> SimKubeClient::get(Context context, KubeRef ref) {
  const ApiServer& api = world_.kube()->api();
  return read<KubeObject>(context, ref, [&api, ref] { return api.get(ref); });
}

Task<CallResult<KubeList>> SimKubeClient::list(Context context, KubeQuery query) {
  const ApiServer& api = world_.kube()->api();
  return read<KubeList>(context, any_of(query.kind), [&api, query] { return api.list(query); });
}

Task<CallResult<std::unique_ptr<KubeStream>>> SimKubeClient::watch(Context context, KubeQuery query,
                                                                   std::string resource_version) {
  using Channel = std::shared_ptr<WatchChannel>;
  ApiServer& api = world_.kube()->api();
  const KubeRef ref = any_of(query.kind);
  Execute<Channel> open = [&api, query = std::move(query), resource_version] {
    return api.watch(query, resource_version);
  };
  auto channel = co_await read<Channel>(context, ref, std::move(open));
  if (!channel) co_return forward_error(channel);
  std::unique_ptr<KubeStream> stream = std::make_unique<ChannelStream>(
      *std::move(channel), context, [&api] { return std::to_string(api.version()); });
  co_return stream;
}

Task<CallResult<KubeObject>> SimKubeClient::apply(Context context, const KubeObject& object,
                                                  KubeApply options) {
  ApiServer& api = world_.kube()->api();
  const auto sent = std::make_shared<const KubeObject>(object);
  KubeRequest request;
  request.call = Call::kube_apply;
  request.ref = ref_of(object);
  request.object = sent.get();
  request.options = options;
  return carry<KubeObject>(context, std::move(request),
                           [&api, sent, options] { return api.apply(*sent, options, "ichor"); });
}

Task<CallResult<void>> SimKubeClient::remove(Context context, KubeRef ref, std::string uid) {
  ApiServer& api = world_.kube()->api();
  KubeRequest request;
  request.call = Call::kube_delete;
  request.ref = ref;
  return carry<void>(context, std::move(request),
                     [&api, ref, uid] { return api.remove(ref, uid); });
}

Task<CallResult<void>> SimKubeClient::evict(Context context, KubeRef pod, std::string uid) {
  ApiServer& api = world_.kube()->api();
  KubeRequest request;
  request.call = Call::evict;
  request.ref = pod;
  return carry<void>(context, std::move(request), [&api, pod, uid] { return api.evict(pod, uid); });
}

Task<CallResult<void>> SimKubeClient::approve_csr(Context context, KubeObject csr,
                                                  std::string reason) {
  ApiServer& api = world_.kube()->api();
  const auto sent = std::make_shared<const KubeObject>(std::move(csr));
  KubeRequest request;
  request.call = Call::approve_csr;
  request.ref = ref_of(*sent);
  request.object = sent.get();
  return carry<void>(context, std::move(request),
                     [&api, sent, reason] { return api.approve(*sent, reason); });
}

Task<CallResult<std::string>> SimKubeClient::exchange(Context context, PodPort where,
                                                      std::string message,
                                                      std::function<bool(std::string_view)>) {
  const SimKubernetes& kube = *world_.kube();
  KubeRef ref{{"", "v1", "Pod"}, where.name_space, where.pod};
  return read<std::string>(
      context, std::move(ref),
      [&kube, where, message = std::move(message)]() -> CallResult<std::string> {
        if (auto said = kube.resolve(where.pod, message)) return *std::move(said);
        return tl::unexpected(failed(Call::kube_read, Progress::answered, Code::unavailable,
                                     "error dialing backend: remote error: tls: internal error"));
      });
}

}  // namespace ichor::sim
