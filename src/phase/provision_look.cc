#include "phase/provision_look.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "async/signal.h"
#include "async/task_group.h"
#include "base/ip.h"
#include "lint/c7_machine.h"
#include "wait/turnstile.h"

namespace ichor {

namespace {

using Kind = ProviderError::Kind;

constexpr Duration kTryAgain = std::chrono::seconds(3);
constexpr int kTriesMax = 4;
constexpr int kReadsAtOnce = 8;
/// Of all guest agents together, one that does not answer among them: a scan takes no longer.
constexpr Duration kAgentLimit = std::chrono::seconds(5);
constexpr std::size_t kAddressesOfGuest = 8;

/// An agent lists also what only the guest itself can reach.
bool may_be_reached(const IpAddress& address) {
  const auto ip = parse_ip(address.value());
  if (!ip) return false;
  if (!ip->v6) return ip->bytes[0] != 127 && ip->bytes[0] != 169 && ip->bytes[0] < 224;
  const bool local = ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
  return !local && ip->bytes[0] != 0xff && ip->bytes[0] != 0;
}

std::string storage_of(const std::string& volume) { return volume.substr(0, volume.find(':')); }

/// Of one look: what was read so far, and the first thing that could not be read.
void note(std::optional<ProviderError>& first, const ProviderError& error) {
  if (!first) first = error;
}

/// By the end of the run, or of its time.
ProviderError called_off() {
  return {Kind::called_off, Progress::not_sent, "GET machines", "called off"};
}

}  // namespace

struct ProvisionLook::Reading {
  ProvisionSight sight;
  std::set<VmId> vanished;  // between the list and the machine itself
  std::optional<ProviderError> error;
  Turnstile places{kReadsAtOnce};
};

void ProvisionLook::keep_error(Reading& reading, VmId id, const ProviderError& error) {
  if (error.kind == Kind::missing) {
    reading.vanished.insert(id);
  } else {
    note(reading.error, error);
  }
}

bool may_pass(const ProviderError& error) {
  return error.kind == Kind::unreachable || error.kind == Kind::locked;
}

Task<bool> ProvisionLook::try_again(Context context, const ProviderError& error, int tries) {
  if (!may_pass(error) || tries >= kTriesMax || context.cancelled()) co_return false;
  events_.emit({EventKind::retrying, context.now(), {}, "provision", to_text(error)});
  const Wake wake = co_await sleep_for(context, kTryAgain);
  co_return wake == Wake::signalled;
}

Task<ProviderResult<void>> ProvisionLook::find_version(Context context) {
  for (int tries = 1;; ++tries) {
    auto version = co_await provider_.version(context);
    if (version) {
      version_ = *std::move(version);
      co_return ProviderResult<void>();
    }
    const bool again = co_await try_again(context, version.error(), tries);
    if (!again) co_return forward_error(version);
  }
}

Task<ProviderResult<std::vector<Finding>>> ProvisionLook::access(Context context, ProviderUse use) {
  if (const auto found = co_await find_version(context); !found) {
    co_return forward_error(found);
  }
  const auto known = co_await provider_.known_privileges(context);
  if (!known) co_return forward_error(known);
  const std::vector<PrivilegeNeed> needs = privileges_for(specs_, use, *known);
  std::set<std::string> paths;
  for (const PrivilegeNeed& need : needs) {
    paths.insert(need.path);
    if (!need.or_path.empty()) paths.insert(need.or_path);
  }
  std::map<std::string, Privileges> has;
  for (const std::string& path : paths) {
    auto granted = co_await provider_.privileges(context, path);
    if (!granted) co_return forward_error(granted);
    has[path] = *std::move(granted);
  }
  co_return missing_privileges(needs, has);
}

Task<ProviderResult<std::vector<Finding>>> ProvisionLook::image(Context context) {
  std::vector<Finding> findings;
  std::set<std::string> hosts;
  for (const VmSpec& spec : specs_) hosts.insert(spec.place.host);
  for (const std::string& host : hosts) {
    const std::string storage = storage_of(plan_.image);
    const auto volumes = co_await provider_.volumes(context, host, storage);
    if (!volumes) co_return forward_error(volumes);
    if (std::find(volumes->begin(), volumes->end(), plan_.image) != volumes->end()) continue;
    const std::string& schematic = profile_.talos.schematic_id;
    findings.push_back(
        {Severity::error,
         "P1",
         {},
         "proxmox",
         fmt::format("the Talos image {} is not on the storage {} of {}", plan_.image, storage,
                     host),
         fmt::format("download the ISO of the schematic {} for Talos {} from the Image Factory "
                     "(platform nocloud) to that storage, or correct providers.proxmox.image",
                     schematic.empty() ? "of the profile" : schematic,
                     to_text(profile_.talos.version))});
  }
  co_return findings;
}

bool ProvisionLook::is_planned(VmId id) const {
  return std::any_of(specs_.begin(), specs_.end(),
                     [&](const VmSpec& spec) { return spec.place.id == id; });
}

Task<void> ProvisionLook::read_machine(Context context, Reading& reading, VmSeen& vm) {
  if (!co_await reading.places.enter(context)) co_return note(reading.error, called_off());
  const VmId id = vm.place.id;
  if (!is_ours(vm, profile_) && !is_planned(id)) {
    // Its MAC is all that matters. One that goes away meanwhile is not judged.
    if (const auto config = co_await provider_.config(context, vm.place)) foreign_[id] = *config;
    reading.places.leave();
    co_return;
  }
  auto now = co_await provider_.machine(context, vm.place);
  auto config = co_await provider_.config(context, vm.place);
  reading.places.leave();
  if (!now) keep_error(reading, id, now.error());
  if (!config) keep_error(reading, id, config.error());
  if (!now || !config) co_return;
  // A release that tells no tags here has them in the list.
  if (now->tags.empty()) now->tags = vm.tags;
  now->is_template = now->is_template || vm.is_template || config->get("template") == "1";
  vm = *std::move(now);
  vm.config = *std::move(config);
}

Task<void> ProvisionLook::read_tasks(Context context, Reading& reading, VmPlace place) {
  if (!co_await reading.places.enter(context)) co_return note(reading.error, called_off());
  auto tasks = co_await provider_.tasks(context, place);
  reading.places.leave();
  if (!tasks) co_return note(reading.error, tasks.error());
  reading.sight.tasks[place.id] = *std::move(tasks);
}

Task<ProviderResult<ProvisionSight>> ProvisionLook::look_once(Context context,
                                                              const ProvisionFacts& facts) {
  auto listed = co_await provider_.machines(context);
  if (!listed) co_return forward_error(listed);
  // Before the group: a run that is dropped here drops the readers first.
  Reading reading;
  reading.sight.vms = *std::move(listed);
  TaskGroup group(context);
  for (VmSeen& vm : reading.sight.vms) {
    if (foreign_.contains(vm.place.id) && !is_ours(vm, profile_)) continue;
    group.spawn(read_machine(context, reading, vm));
  }
  for (const VmAttempt* attempt : facts.open()) {
    const VmSeen* vm = reading.sight.find(attempt->place.id);
    const bool ours = is_planned(attempt->place.id) || (vm && is_ours(*vm, profile_));
    if (!ours || !attempt->task.value().empty()) continue;
    group.spawn(read_tasks(context, reading, attempt->place));
  }
  co_await group.join();
  if (reading.error) co_return tl::unexpected(*std::move(reading.error));
  std::erase_if(reading.sight.vms,
                [&](const VmSeen& vm) { return reading.vanished.contains(vm.place.id); });
  for (VmSeen& vm : reading.sight.vms) {
    const auto known = foreign_.find(vm.place.id);
    if (!vm.config && known != foreign_.end()) vm.config = known->second;
  }
  co_return std::move(reading.sight);
}

Task<void> ProvisionLook::ask_agent(Context context, Turnstile& places, VmPlace place,
                                    std::vector<IpAddress>& addresses) {
  if (!co_await places.enter(context)) co_return;
  const auto told = co_await provider_.guest_addresses(context, place);
  places.leave();
  if (!told) co_return;
  std::size_t taken = 0;
  for (const IpAddress& address : *told) {
    if (may_be_reached(address) && ++taken <= kAddressesOfGuest) addresses.push_back(address);
  }
}

Task<std::vector<IpAddress>> ProvisionLook::guest_addresses(Context context,
                                                            const ProvisionSight& sight) {
  std::vector<IpAddress> addresses;
  const Context limited = context.within(kAgentLimit);
  Turnstile places(kReadsAtOnce);
  TaskGroup group(limited);
  for (const VmSpec& spec : specs_) {
    const VmSeen* vm = sight.find(spec.place.id);
    if (!vm || !vm->running || !vm->config || !has_agent(*vm->config)) continue;
    group.spawn(ask_agent(limited, places, vm->place, addresses));
  }
  co_await group.join();
  co_return addresses;
}

Task<ProviderResult<ProvisionSight>> ProvisionLook::machines(Context context,
                                                             const ProvisionFacts& facts) {
  for (int tries = 1;; ++tries) {
    auto sight = co_await look_once(context, facts);
    if (sight) co_return sight;
    const bool again = co_await try_again(context, sight.error(), tries);
    if (!again) co_return sight;
  }
}

}  // namespace ichor
