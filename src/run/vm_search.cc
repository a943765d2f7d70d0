#include "run/vm_search.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "cluster/machine_search.h"
#include "lab/proxmox/access.h"
#include "phase/provider_finding.h"
#include "phase/provision_look.h"
#include "phase/vm_identity.h"
#include "run/provider_access.h"

namespace ichor {

namespace {

/// Commands that only look ask Proxmox by the way.
constexpr Duration kAskLimit = std::chrono::seconds(30);

/// What one look at the provider showed.
struct Shown {
  ProvisionSight sight;
  std::vector<IpAddress> addresses;
  std::optional<ProviderError> error;
};

Task<void> ask(Context context, ProvisionLook& look, Shown& shown) {
  const ProvisionFacts nothing;
  auto sight = co_await look.machines(context, nothing);
  if (!sight) {
    shown.error = std::move(sight).error();
    co_return;
  }
  shown.sight = *std::move(sight);
  shown.addresses = co_await look.guest_addresses(context, shown.sight);
}

/// Where machines of a lab's Proxmox are looked for: the pool of its addresses, and the profile's.
void search_in_lab(const lab::ProxmoxAccess& access, const ProfileInput& input, Workspace& space) {
  ScanOptions options;
  options.addresses = access.pool;
  for (const NodePlan& plan : input.profile.nodes) options.addresses += "," + plan.address.value();
  space.finder = make_finder(input.profile, options, *space.apis);
}

/// In one sentence: who only looks goes on without Proxmox.
void warn(RunResult ended, Workspace& space) {
  std::vector<Finding>& findings = ended.findings;
  if (findings.empty()) {
    findings.push_back({Severity::warning,
                        "P1",
                        {},
                        "providers.proxmox",
                        std::move(ended.verdict),
                        "check providers.proxmox.url and the host"});
  }
  for (Finding& finding : findings) {
    finding.severity = Severity::warning;
    finding.what += ": MACs of VMs are those of the profile, or derived";
    space.findings.push_back(std::move(finding));
  }
}

}  // namespace

OrEnd<void> learn_vms(ProfileInput& input, const RunTarget& target, Workspace& space, Host& host) {
  if (!target.lab.empty()) {
    const auto access = lab::read_proxmox_access(target.lab);
    if (!access) return {};
    search_in_lab(*access, input, space);
  }
  if (!input.provider) return {};
  const auto& nodes = input.profile.nodes;
  Shown shown;
  if (std::any_of(nodes.begin(), nodes.end(),
                  [&](const NodePlan& plan) { return is_unbound(plan, space.facts); })) {
    auto provider = reach_provider(input, target, host);
    if (!provider) {
      warn(std::move(provider).error(), space);
    } else {
      const std::vector<VmSpec> specs = machines_for(input.profile, *input.provider);
      ProvisionLook look(**provider, host.terminal.display(), input.profile, *input.provider,
                         specs);
      CancelScope scope;
      const Context context{&host.loop.clock(), &scope};
      const int signal = host.loop.drive(ask(context.within(kAskLimit), look, shown), scope);
      if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
      if (signal != 0) return end_with(Exit::interrupted, "interrupted");
      if (shown.error) {
        RunResult unasked;
        unasked.findings = {finding_of(*shown.error, {})};
        warn(std::move(unasked), space);
      }
    }
  }
  std::vector<Finding> wrong = bind_to_vms(input.profile, shown.sight, space.facts);
  if (space.finder) space.finder->look_first_at(shown.addresses);
  if (wrong.empty()) return {};
  RunResult refused;
  refused.exit = Exit::findings;
  refused.verdict = wrong.front().what;
  refused.findings = std::move(wrong);
  return tl::unexpected(std::move(refused));
}

}  // namespace ichor
