#pragma once

#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "async/signal.h"
#include "port/provider.h"
#include "sim/provider/vm_host.h"

namespace ichor {

/// A provider in memory, with tasks that take time. It can fall silent at a call, before or after
/// the call has had its effect, so that whoever asked can be killed there.
class FakeProvider final : public Provider {
 public:
  explicit FakeProvider(Clock& clock) : host(clock) {
    host.verdict = [this](const ProviderTask& task) -> std::string {
      const auto fails = tasks_fail.find(fmt::format("{} {}", task.kind, task.vm));
      return fails == tasks_fail.end() ? "OK" : fails->second;
    };
  }

  // --- what it is asked to be
  int silent_at{0};  // the call with this number, from 1, is never answered
  bool after_effect{true};
  ProviderVersion release{8, 4, "8.4.1"};
  std::set<std::string> lacking;                    // privileges that are not granted
  std::set<std::string> unknown;                    // privileges that this release does not have
  bool list_lags{false};                            // the list shows machines as they were first
  std::map<std::string, std::string> tasks_fail;    // by "KIND VMID": the result
  std::map<std::string, ProviderError> refusals;    // by "create 801": answered instead
  std::map<VmId, std::vector<std::string>> guests;  // what their agents tell
  std::map<std::string, Duration> late;             // by "create 801": lost once, after that time
  std::vector<std::string> images{"local:iso/talos.iso"};

  // --- what became of it
  int calls{0};
  bool silent{false};
  sim::VmHost host;
  std::map<VmId, sim::VmHost::Vm>& vms{host.vms};
  std::map<VmId, int> created;  // how often each was created
  std::vector<VmId> destroyed;
  std::set<VmId> touched;  // started, stopped or destroyed

  Task<ProviderResult<ProviderVersion>> version(Context context) override {
    co_await answer(context);
    co_return release;
  }
  Task<ProviderResult<Privileges>> privileges(Context context, std::string) override {
    co_await answer(context);
    co_return without(lacking);
  }
  Task<ProviderResult<Privileges>> known_privileges(Context context) override {
    co_await answer(context);
    co_return without(unknown);
  }
  Task<ProviderResult<std::vector<VmSeen>>> machines(Context context) override {
    co_await answer(context);
    std::vector<VmSeen> seen = host.list();
    for (VmSeen& vm : seen) vm.running = vm.running && !list_lags;
    co_return seen;
  }
  Task<ProviderResult<VmSeen>> machine(Context context, VmPlace place) override {
    co_await answer(context);
    co_return host.machine(place);
  }
  Task<ProviderResult<VmConfig>> config(Context context, VmPlace place) override {
    co_await answer(context);
    co_return host.config(place);
  }
  Task<ProviderResult<std::vector<std::string>>> volumes(Context context, std::string,
                                                         std::string) override {
    co_await answer(context);
    co_return images;
  }
  Task<ProviderResult<std::vector<ProviderTask>>> tasks(Context context, VmPlace place) override {
    co_await answer(context);
    co_return host.tasks(place);
  }
  Task<ProviderResult<ProviderTask>> task(Context context, ProviderTaskId id) override {
    co_await answer(context);
    co_return host.task(id);
  }
  Task<ProviderResult<std::vector<std::string>>> task_log(Context context,
                                                          ProviderTaskId) override {
    co_await answer(context);
    co_return std::vector<std::string>{};
  }
  Task<ProviderResult<std::vector<IpAddress>>> guest_addresses(Context context,
                                                               VmPlace place) override {
    co_await answer(context);
    std::vector<IpAddress> addresses;
    for (const std::string& address : guests[place.id]) addresses.emplace_back(address);
    co_return addresses;
  }

  // No braces within a co_await: GCC 12 destroys such temporaries twice.
  Task<ProviderResult<ProviderTaskId>> create(Context context, VmSpec spec) override {
    const bool falls_silent = co_await reach(context);
    const std::string deed = fmt::format("create {}", spec.place.id);
    const auto refused = refusals.find(deed);
    if (refused != refusals.end()) co_return tl::unexpected(refused->second);
    const auto lost = late.extract(deed);
    if (!lost.empty()) {
      co_await sleep_for(context, lost.mapped());
      ProviderError silence{ProviderError::Kind::unreachable, Progress::sent, deed, "no answer"};
      co_return tl::unexpected(std::move(silence));
    }
    auto task = host.create(spec);
    if (task) ++created[spec.place.id];
    if (falls_silent) co_await hang(context);
    co_return task;
  }
  Task<ProviderResult<ProviderTaskId>> start(Context context, VmPlace place) override {
    co_return co_await change(context, "start", place);
  }
  Task<ProviderResult<ProviderTaskId>> stop(Context context, VmPlace place) override {
    co_return co_await change(context, "stop", place);
  }
  Task<ProviderResult<ProviderTaskId>> destroy(Context context, VmPlace place) override {
    auto task = co_await change(context, "destroy", place);
    if (task) destroyed.push_back(place.id);
    co_return task;
  }

 private:
  static Privileges without(const std::set<std::string>& some) {
    Privileges names = sim::sim_privileges();
    std::erase_if(names, [&](const std::string& name) { return some.contains(name); });
    return names;
  }
  Task<void> hang(Context context) {
    silent = true;
    const Context for_ever{context.clock, context.scope, kNever};
    co_await never_.wait(for_ever);
  }
  Task<void> answer(Context context) {
    if (++calls == silent_at) co_await hang(context);
  }
  /// A change arrives; true: its answer does not.
  Task<bool> reach(Context context) {
    const bool falls_silent = ++calls == silent_at;
    if (falls_silent && !after_effect) co_await hang(context);
    co_return falls_silent;
  }
  Task<ProviderResult<ProviderTaskId>> change(Context context, std::string deed, VmPlace place) {
    const bool falls_silent = co_await reach(context);
    const auto refused = refusals.find(fmt::format("{} {}", deed, place.id));
    if (refused != refusals.end()) co_return tl::unexpected(refused->second);
    touched.insert(place.id);
    auto task = host.change("qm" + deed, place);
    if (falls_silent) co_await hang(context);
    co_return task;
  }

  Signal never_;
};

}  // namespace ichor
