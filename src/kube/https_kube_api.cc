#include "kube/https_kube_api.h"

#include <algorithm>

#include "async/slot.h"
#include "kube/https_get.h"
#include "kube/kubeconfig.h"

namespace ichor {

namespace {

constexpr Duration kLimit = std::chrono::seconds(10);
constexpr std::size_t kShownMax = 200;

CallError not_sent(Code code, std::string text) {
  return {Call::kube_ready, Progress::not_sent, TlsVerdict::fine, code, std::move(text)};
}

/// What the caller grants, read as real time.
Duration limit_of(const Context& context) {
  if (context.deadline == kNever) return kLimit;
  return std::clamp(context.deadline - context.now(), Duration::zero(), kLimit);
}

Code code_of(int status) {
  switch (status) {
    case 401: return Code::unauthenticated;
    case 403: return Code::permission_denied;
    case 404: return Code::not_found;
    case 429: return Code::resource_exhausted;
    default: return status >= 500 ? Code::unavailable : Code::unknown;
  }
}

}  // namespace

Task<CallResult<void>> HttpsKubeApi::ready(Context context, const SecretString& kubeconfig) {
  auto access = read_kubeconfig(kubeconfig);
  if (!access) co_return tl::unexpected(not_sent(Code::invalid_argument, access.error().message));
  HttpsGet::Request request;
  request.access = *std::move(access);
  request.dial_host = dial_ ? dial_(IpAddress(request.access.host)).value() : request.access.host;
  request.path = "/readyz";
  request.limit = limit_of(context);
  const auto slot = std::make_shared<Slot<CallResult<HttpAnswer>>>();
  const HttpsGet get(io_, std::move(request),
                     [slot](CallResult<HttpAnswer> answer) { slot->set(std::move(answer)); });
  // The exchange keeps the limit itself, in real time; only a cancellation ends the wait before it.
  const Context patient{context.clock, context.scope, kNever};
  const Wake wake = co_await Slot<CallResult<HttpAnswer>>::ready(slot, patient);
  if (wake == Wake::cancelled) co_return tl::unexpected(not_sent(Code::cancelled, "called off"));
  const CallResult<HttpAnswer> answer = slot->take();
  if (!answer) co_return tl::unexpected(answer.error());
  if (answer->status == 200) co_return CallResult<void>();
  co_return tl::unexpected(CallError{Call::kube_ready, Progress::answered, TlsVerdict::fine,
                                     code_of(answer->status), answer->body.substr(0, kShownMax)});
}

}  // namespace ichor
