#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "phase/provision.h"
#include "phase/provision_facts.h"
#include "port/events.h"
#include "port/provider.h"
#include "wait/turnstile.h"

namespace ichor {

/// What a run reads of a provider. What fails without an answer is asked again some times; the
/// error is that of the last try.
class ProvisionLook {
 public:
  /// All of them must outlive this object.
  ProvisionLook(Provider& provider, EventSink& events, const ClusterProfile& profile,
                const ProviderPlan& plan, const std::vector<VmSpec>& specs)
      : provider_(provider), events_(events), profile_(profile), plan_(plan), specs_(specs) {}

  /// The release, then the privileges: one finding for each path on which something is missing.
  /// Before anything else, because a token without rights sees empty lists instead of errors.
  Task<ProviderResult<std::vector<Finding>>> access(Context context, ProviderUse use);

  /// Whether the Talos image is where machines are made: one finding for each host without it.
  Task<ProviderResult<std::vector<Finding>>> image(Context context);

  /// Machines, their configs, and the tasks of those with an attempt that has none in the journal.
  Task<ProviderResult<ProvisionSight>> machines(Context context, const ProvisionFacts& facts);

  /// What the guest agents of the profile's machines say that run and have one. Of no use but to
  /// look there first: an agent may be silent, not to be asked, or wrong.
  Task<std::vector<IpAddress>> guest_addresses(Context context, const ProvisionSight& sight);

  /// Empty before access() got an answer.
  const ProviderVersion& version() const { return version_; }

 private:
  struct Reading;
  Task<ProviderResult<void>> find_version(Context context);
  Task<ProviderResult<ProvisionSight>> look_once(Context context, const ProvisionFacts& facts);
  Task<void> read_machine(Context context, Reading& reading, VmSeen& vm);
  Task<void> ask_agent(Context context, Turnstile& places, VmPlace place,
                       std::vector<IpAddress>& addresses);
  Task<void> read_tasks(Context context, Reading& reading, VmPlace place);
  static void keep_error(Reading& reading, VmId id, const ProviderError& error);
  bool is_planned(VmId id) const;
  /// Waits before the next try; false: this was the last one.
  Task<bool> try_again(Context context, const ProviderError& error, int tries);

  Provider& provider_;
  EventSink& events_;
  const ClusterProfile& profile_;
  const ProviderPlan& plan_;
  const std::vector<VmSpec>& specs_;
  ProviderVersion version_;
  /// Of machines that are not ours, which may be hundreds: they are read once.
  std::map<VmId, VmConfig> foreign_;
};

/// May be asked again: nothing was decided by the provider.
bool may_pass(const ProviderError& error);

}  // namespace ichor
