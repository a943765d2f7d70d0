#include "sim/mutants.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/mutant.h"

namespace ichor::sim {

namespace {

const std::vector<Mutant>& mutants_of_nodes() {
  static const std::vector<Mutant> list = {
      {"two-bootstraps", "the last control plane is bootstrapped after the first", "I2"},
      {"blind-retry", "a mutation whose reply was lost is sent again at once", "I14"},
      {"journal-after-act", "the intent is written after the call", "I8"},
      {"unknown-is-no", "a control plane that cannot answer counts as without etcd data", "I3"},
      {"sends-after-cancel", "a mutation leaves after Ctrl-C", "I21"},
      {"every-outcome-done", "the journal says done whatever came of a call", "I8"},
      {"config-of-another-node", "every node gets the first node's config", "I6"},
      {"call-without-limit", "a call may take as long as its phase", "I13"},
      {"file-of-another-name", "the kubeconfig goes to a file that nobody declared", "I24"},
      {"kubeconfig-of-nothing", "a kubeconfig that could not be fetched is written empty", "I18"},
      {"tries-for-ever", "there is no bound on sending one mutation", "I14"},
      {"tells-the-config", "an event carries a machine config", "I11"},
      {"retries-for-good-refusals", "a refusal for good is tried again", "I14"},
      {"bare-timeout", "a timeout says no more than that it was one", "I19"},
      {"forgets-the-journal", "a resumed run does not read what the earlier one wrote", "I8"},
      {"journal-error-ignored", "a record that could not be written counts as written", "I8"},
      {"new-secrets-taken", "regenerated secrets are used on a cluster of the old ones", "I10"},
      {"secrets-never-fixed", "the fingerprint of the secrets is not recorded", "I6"},
      {"every-end-is-good", "actors that failed or ran out of time do not spoil the verdict",
       "I12"},
      {"lost-is-refused", "a lost reply is taken for a refusal", "I8"},
      {"trusts-the-address", "whoever answers at a node's address is that node", "I5"},
      {"any-key-will-do", "a config goes to whatever key answers in maintenance mode", "I25",
       "key-replaced"},
      {"apply-without-patience", "a config is sent again before it can show", "I14"},
      {"any-config-will-do", "a node that runs another config counts as configured", "I12",
       "config-changed"},
      {"target-not-pinned", "the bootstrap target is not recorded before the call", "I2"},
      {"bootstrap-without-patience", "a bootstrap is sent again before it can show", "I14"},
      {"two-clusters-are-one", "two etcd clusters are not told apart", "I12", "split-brain"},
      {"alarms-ignored", "etcd alarms are overlooked", "I12", "alarm"},
      {"ready-without-nodes", "success is said without the nodes", "I12"},
      {"booting-is-running", "a node that still boots counts as running", "I12"},
      {"unready-is-ready", "a node with unmet conditions counts as ready", "I12"},
      {"acts-after-its-lease", "a run that lost its lease in a pause sends what it recorded", "I15",
       "outlived-lease"},
      {"no-backoff", "there is no pause between attempts", "I14"},
      {"intents-forgotten", "intents are not folded into the facts", "I14"},
  };
  return list;
}

const std::vector<Mutant>& mutants_of_kubernetes() {
  static const std::vector<Mutant> list = {
      {"kube-without-intent", "a change of Kubernetes is not recorded before it is sent", "I8",
       "all", true},
      {"kube-always-done", "the journal says done whatever came of a change", "I8", "all", true},
      {"forces-conflicts", "fields of other managers are taken over", "I28", "kube-field-taken",
       true},
      {"dry-run-is-real", "what should only be computed is kept", "I8", "all", true},
      {"applies-always", "an object is sent although nothing would change", "I7", "all", true},
      {"tells-the-object", "an event carries a Secret", "I11", "all", true},
      {"names-unchecked", "a certificate for any name or address is approved", "I27",
       "kube-csr-foreign", true},
      {"groups-unchecked", "whoever says that it is a node gets its certificate", "I27",
       "kube-csr-foreign", true},
      {"strangers-approved", "a node that is not planned gets a certificate", "I27",
       "kube-csr-foreign", true},
      {"installs-always", "a release is installed although it is as wanted", "I7", "all", true},
      {"needs-ignored", "releases are installed before what they need", "I26", "all", true},
      {"never-looks-again", "what was applied counts as there for the rest of the phase", "I26",
       "kube-pruned,kube-api-overloaded", true},
      {"old-lists-trusted", "a release counts as working by what was listed before its install",
       "I26", "all", true},
      {"releases-not-awaited", "a release counts as working when it was installed", "I26", "all",
       true},
      {"pending-is-ours", "a pending revision of somebody else is taken away", "I29",
       "kube-release-pending", true},
      {"orphans-ignored", "a revision is taken away while its helm still works", "I29",
       "kube-crash-between-writes,crash-before-call,crash-after-call,crash-anytime,kube-helm-slow",
       true},
      {"crds-not-awaited", "releases are installed before CRDs are Established", "I26",
       "kube-crd-slow", true},
      {"secrets-left-out", "phase 0 ends without its secrets", "I26", "all", true},
      {"key-before-nodes", "the sealed-secrets key is sent before all nodes are Ready", "I26",
       "all", true},
      {"key-not-kept", "a fresh sealed-secrets key is sent without being kept", "liveness", "all",
       true},
      {"flux-not-awaited", "the handover is said before Flux is Ready", "I32", "all", true},
      {"kustomizations-not-awaited", "the handover is said before Kustomizations are Ready", "I32",
       "kube-repository-locked", true},
      {"gates-one-by-one", "the handover is said of gates that held one after another", "I32",
       "all", true},
      {"old-kinds-trusted", "a gate rests on an old answer that a kind is not served", "I32",
       "kube-crd-slow", true},
      {"token-in-address", "the token of Connect stands in the address", "I30", "all", true},
      {"token-for-everybody", "every program gets the token of Connect", "I30", "all", true},
  };
  return list;
}

const std::vector<Mutant>& mutants_of_machines() {
  static const std::vector<Mutant> list = {
      {"creates-blindly", "a machine whose creation got no answer is created again at once", "I33",
       "provider-lost-reply"},
      {"any-machine-will-do", "whatever has the number of a node is its machine", "I34",
       "provider-number-taken"},
      {"task-not-kept", "the provider's task is followed without being written down", "I35"},
  };
  return list;
}

}  // namespace

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> list = mutants_of_nodes();
    for (const auto& more : {mutants_of_kubernetes(), mutants_of_machines()}) {
      list.insert(list.end(), more.begin(), more.end());
    }
    return list;
  }();
  return all;
}

#ifdef ICHOR_MUTANTS

namespace {

bool hunt(const CampaignOptions& options, const Mutant& mutant, std::ostream& out) {
  CampaignOptions hunting = options;
  hunting.faults = *parse_faults(std::string(mutant.faults));
  hunting.line = mutant.in_kubernetes ? Line::whole : Line::talos;
  select_mutant(mutant.name);
  const CampaignReport report = run_campaign(hunting);
  select_mutant({});
  if (report.violation.empty()) {
    out << fmt::format("{:<28} ESCAPED {} seeds: {}\n", mutant.name, report.seeds, mutant.breaks);
    return false;
  }
  out << fmt::format("{:<28} found by seed {}: {}\n", mutant.name, report.failed_seed,
                     report.violation);
  return true;
}

}  // namespace

int hunt_mutants(const CampaignOptions& options, const std::vector<std::string>& names,
                 std::ostream& out) {
  std::vector<const Mutant*> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for (const Mutant& mutant : mutants()) {
      if (name == "all" || name == mutant.name) chosen.push_back(&mutant);
    }
    if (chosen.size() == before) {
      out << fmt::format("unknown mutant '{}'\n", name);
      return 64;
    }
  }
  const auto found = std::count_if(chosen.begin(), chosen.end(), [&](const Mutant* mutant) {
    return hunt(options, *mutant, out);
  });
  const auto escaped = static_cast<std::ptrdiff_t>(chosen.size()) - found;
  out << fmt::format("{} passed, {} failed\n", found, escaped);
  return escaped == 0 ? 0 : 1;
}

#else

int hunt_mutants(const CampaignOptions&, const std::vector<std::string>&, std::ostream& out) {
  out << "this binary has no mutants: build ichor-mutants with `make mutants`\n";
  return 64;
}

#endif

}  // namespace ichor::sim
