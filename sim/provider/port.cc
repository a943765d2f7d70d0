#include "sim/provider/port.h"

#include <memory>
#include <utility>

#include "async/signal.h"
#include "sim/hang.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

using Kind = ProviderError::Kind;

/// Longer than that: what is lost does not come.
constexpr Duration kNeverComes = std::chrono::hours(1);
constexpr std::string_view kRead = "provider read";

std::string_view point_of(VmDeed deed) {
  switch (deed) {
    case VmDeed::create: return "provider create";
    case VmDeed::start: return "provider start";
    case VmDeed::stop: return "provider stop";
    case VmDeed::destroy: return "provider destroy";
  }
  return "?";
}

std::string kind_of(VmDeed deed) { return "qm" + std::string(name_of(deed)); }

ProviderError silence(Wake wake) {
  if (wake == Wake::cancelled) return {Kind::called_off, Progress::sent, "call", "called off"};
  return {Kind::unreachable, Progress::sent, "call", "no answer in time"};
}

ProviderResult<ProviderTaskId> carried_out(SimWorld& world, const VmRequest& request,
                                           const VmSpec& spec) {
  VmHost& host = *world.vm_host();
  auto task = request.deed == VmDeed::create ? host.create(spec)
                                             : host.change(kind_of(request.deed), request.place);
  if (task) world.note_vm_task(request, *task);
  return task;
}

}  // namespace

VmHost& SimProvider::host() { return *world_.vm_host(); }

Task<std::optional<ProviderError>> SimProvider::travel(Context context, Duration delay) {
  const Wake wake = co_await sleep_for(context, delay);
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  // A sleep that is over is signalled; anything else is the end of the call.
  if (wake == Wake::signalled) co_return std::nullopt;
  co_return silence(wake);
}

Task<std::optional<ProviderError>> SimProvider::ask(Context context) {
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  const CrashPoint before{CrashSite::before_call, kRead};
  if (world_.crash_here(process_, before)) co_await hang(world_.clock());
  ProviderPassage passage = world_.provider_passage(std::nullopt);
  const Duration way = world_.plan().latency + passage.delay;
  const Duration there = passage.lose_request || passage.lose_reply ? kNeverComes : 2 * way;
  auto lost = co_await travel(context.within(kProviderCallLimit), there);
  if (lost) co_return lost;
  const CrashPoint after{CrashSite::after_call, kRead};
  if (world_.crash_here(process_, after)) co_await hang(world_.clock());
  co_return std::move(passage.answer);
}

Task<ProviderResult<ProviderTaskId>> SimProvider::change(Context context, VmRequest request,
                                                         VmSpec spec) {
  request.process = process_;
  if (world_.process_dead(process_)) co_await hang(world_.clock());
  const CrashPoint before{CrashSite::before_call, point_of(request.deed)};
  if (world_.crash_here(process_, before)) co_await hang(world_.clock());
  world_.note_vm_request(request);
  ProviderPassage passage = world_.provider_passage(request);
  const Duration way = world_.plan().latency + passage.delay;
  const bool lost = passage.lose_request || passage.lose_reply;
  // What has left arrives, whatever becomes of the process that sent it.
  const ProviderResult<ProviderTaskId> none = tl::unexpected(ProviderError{});
  const auto answer = std::make_shared<ProviderResult<ProviderTaskId>>(none);
  if (passage.answer) {
    *answer = tl::unexpected(*std::move(passage.answer));
  } else if (!passage.lose_request) {
    world_.clock().call_at(later(world_.clock().now(), way),
                           [&world = world_, request, spec = std::move(spec), answer] {
                             *answer = carried_out(world, request, spec);
                           });
  }
  auto silence = co_await travel(context.within(kProviderCallLimit), lost ? kNeverComes : 2 * way);
  if (silence) co_return tl::unexpected(*std::move(silence));
  const CrashPoint after{CrashSite::after_call, point_of(request.deed)};
  if (world_.crash_here(process_, after)) co_await hang(world_.clock());
  co_return *answer;
}

Task<ProviderResult<ProviderVersion>> SimProvider::version(Context context) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return ProviderVersion{8, 4, "8.4.1"};
}

Task<ProviderResult<Privileges>> SimProvider::privileges(Context context, std::string) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return sim_privileges();
}

Task<ProviderResult<Privileges>> SimProvider::known_privileges(Context context) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return sim_privileges();
}

Task<ProviderResult<std::vector<VmSeen>>> SimProvider::machines(Context context) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return host().list();
}

Task<ProviderResult<VmSeen>> SimProvider::machine(Context context, VmPlace place) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return host().machine(place);
}

Task<ProviderResult<VmConfig>> SimProvider::config(Context context, VmPlace place) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return host().config(place);
}

Task<ProviderResult<std::vector<std::string>>> SimProvider::volumes(Context context, std::string,
                                                                    std::string) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return std::vector<std::string>{world_.provider_plan().image};
}

Task<ProviderResult<std::vector<ProviderTask>>> SimProvider::tasks(Context context, VmPlace place) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return host().tasks(place);
}

Task<ProviderResult<ProviderTask>> SimProvider::task(Context context, ProviderTaskId id) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return host().task(id);
}

Task<ProviderResult<std::vector<std::string>>> SimProvider::task_log(Context context,
                                                                     ProviderTaskId) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return std::vector<std::string>{};
}

Task<ProviderResult<std::vector<IpAddress>>> SimProvider::guest_addresses(Context context,
                                                                          VmPlace) {
  auto lost = co_await ask(context);
  if (lost) co_return tl::unexpected(*std::move(lost));
  co_return std::vector<IpAddress>{};
}

Task<ProviderResult<ProviderTaskId>> SimProvider::create(Context context, VmSpec spec) {
  VmRequest request{process_, VmDeed::create, spec.place};
  co_return co_await change(context, std::move(request), std::move(spec));
}

Task<ProviderResult<ProviderTaskId>> SimProvider::start(Context context, VmPlace place) {
  VmRequest request{process_, VmDeed::start, std::move(place)};
  VmSpec none;
  co_return co_await change(context, std::move(request), std::move(none));
}

Task<ProviderResult<ProviderTaskId>> SimProvider::stop(Context context, VmPlace place) {
  VmRequest request{process_, VmDeed::stop, std::move(place)};
  VmSpec none;
  co_return co_await change(context, std::move(request), std::move(none));
}

Task<ProviderResult<ProviderTaskId>> SimProvider::destroy(Context context, VmPlace place) {
  VmRequest request{process_, VmDeed::destroy, std::move(place)};
  VmSpec none;
  co_return co_await change(context, std::move(request), std::move(none));
}

}  // namespace ichor::sim
