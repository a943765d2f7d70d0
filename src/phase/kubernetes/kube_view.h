#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/action.h"
#include "model/kubernetes_plan.h"
#include "model/outcome.h"
#include "model/run_result.h"
#include "phase/kubernetes/csr.h"
#include "phase/kubernetes/gate.h"
#include "phase/kubernetes/release.h"

namespace ichor {

/// What a Kubernetes phase can ask to see. Everything that a read points to must live as long as
/// the phase runs: it is part of the material, or of what an earlier read has brought.

/// A gate of the table, with the names that it needs.
struct ReadGate {
  std::string_view name;
  std::vector<std::string> names;
  std::uint64_t since{0};  // what was listed in an earlier turn does not do
};
/// The gate that a release makes for itself: its workloads do what they are for.
struct ReadWorkloads {
  const WantedRelease* release;
  std::uint64_t since{0};  // what was listed in an earlier turn does not do
};
/// CertificateSigningRequests, judged.
struct ReadRequests {};
struct ReadObject {
  KubeRef ref;
};
/// How an apply of the object would change the cluster, by the server's own reckoning.
struct ReadDifference {
  const KubeObject* object;
  bool force{false};
  std::uint64_t since{0};  // an answer of an earlier turn does not do
};
/// The releases of a helmfile.
struct ReadHelmfile {
  std::string file;
};
/// The CRDs of a chart, or of a release of a helmfile. Exactly one is set.
struct ReadCrds {
  const KubernetesPlan::Chart* chart{nullptr};
  const WantedRelease* release{nullptr};
  const WantedRelease* owner{nullptr};  // the release that will have them; null: none
};
/// A Secret whose values are in 1Password.
struct ReadSecret {
  const KubernetesPlan::SecretItem* item;
};
/// What is deployed of a release, by helm's own records.
struct ReadRelease {
  const WantedRelease* release;
  std::uint64_t since{0};          // an answer of an earlier turn does not do
  Duration pace{Duration::max()};  // after which it is asked for again
};
/// Whether `kustomize build` and kubeconform are content with the GitOps tree.
struct ReadTree {};

using KubeRead = std::variant<ReadGate, ReadWorkloads, ReadRequests, ReadObject, ReadDifference,
                              ReadHelmfile, ReadCrds, ReadSecret, ReadRelease, ReadTree>;

/// Why something could not be seen.
struct Trouble {
  Unmet unmet;
  bool final{false};             // asking again does not help
  bool not_yet{false};           // something else must be there first
  StepEnd end{StepEnd::failed};  // of a phase that cannot go on without it
};

/// What a failed call to the API means for whoever wanted to see the object.
Trouble trouble_of(std::string object, const CallError& error);
/// The same of a program that was asked.
Trouble trouble_of(std::string object, const Error& error, std::string fix);

/// What came of one read.
template <class T>
struct Seen {
  std::optional<T> value;          // the latest answer
  std::optional<Trouble> trouble;  // of the latest time it was asked
  MonoTime at{};                   // when that was
  MonoTime first{};                // when it was asked for the first time
  std::uint64_t turn{0};           // of the latest time, see KubeView::turns
};

/// How an object would change.
struct Difference {
  std::string object;  // "Secret/flux-system/sops-age"
  std::string change;  // "create", "update", "none"
  std::vector<std::string> lines;
};

struct TreeVerdict {
  std::string fault;  // empty: it is clean
};

/// A request for a certificate, and what is to be made of it.
struct JudgedRequest {
  const KubeObject* csr;
  CsrVerdict verdict;
};

/// What came of an action of this phase.
struct Attempt {
  bool in_flight{false};
  bool done{false};
  bool over{false};  // it failed, and is not tried again: the retry table or its limit says so
  int failures{0};
  std::optional<CallError> error;  // of the last failure
  std::uint64_t turn{0};           // in which it ended
  MonoTime again_at{};
  ObjectChange change;  // what was done
};

/// Everything that a Kubernetes phase has seen so far, and what came of what it did. Mirrors are
/// kept by watches; all else is asked for once, and again where it must be fresher.
struct KubeView {
  /// Counts what was asked and what was done, in order: a look that comes after an action has a
  /// higher turn, also where no time passed between them.
  std::uint64_t turns{0};
  /// The last look: objects must have been compared since then. Set when all else is done, because
  /// what was applied first may be gone by then.
  std::uint64_t last_look{0};
  std::map<std::string, GateState, std::less<>> gates;  // by name; of a release: see key_of()
  std::vector<JudgedRequest> requests;
  std::map<KubeRef, Seen<KubeObject>> objects;  // null: it is not there
  std::map<const KubeObject*, Seen<Difference>> differences;
  std::map<std::string, Seen<std::vector<WantedRelease>>> helmfiles;  // by file
  std::map<const void*, Seen<KubeObjects>> crds;                      // by chart or release
  std::map<const KubernetesPlan::SecretItem*, Seen<KubeObject>> secrets;
  std::map<std::string, Seen<DeployedRelease>> releases;  // by key_of()
  Seen<TreeVerdict> tree;
  std::map<std::string, Attempt> attempts;  // by key_of(action)
  /// In a plan: what is taken for met because the run would wait for it.
  std::set<std::string, std::less<>> assumed;

  const Attempt* attempt(const std::string& key) const {
    const auto found = attempts.find(key);
    return found == attempts.end() ? nullptr : &found->second;
  }
};

}  // namespace ichor
