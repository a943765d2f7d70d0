#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_profile.h"
#include "model/decision.h"
#include "model/journal_facts.h"
#include "phase/kubernetes/kube_view.h"
#include "phase/kubernetes/material.h"

namespace ichor {

/// What a decision of a Kubernetes phase may rest on besides what was seen.
struct KubeWanted {
  const ClusterProfile& profile;
  const KubernetesMaterial& material;
  const JournalFacts& facts;
  bool force_conflicts{false};
  MonoTime now{};
};

/// Where a phase stands by one view: what it must see to go on, and what follows from what it has
/// seen. Pure, and another one for every look. A phase walks along its course and turns back at the
/// first thing that is missing; all that it met on its way is in here.
///
/// Functions that return a bool say whether the phase may go on; where it may not, the reason is
/// noted: something to wait for, to act on, or to stop at.
class Course {
 public:
  /// Both must outlive it.
  Course(const KubeWanted& wanted, const KubeView& view) : wanted_(wanted), view_(view) {
    reads_.reserve(kUsualReads);
  }

  const KubeWanted& wanted() const { return wanted_; }
  const KubernetesPlan& plan() const { return wanted_.material.plan; }
  const KubeView& view() const { return view_; }

  // What must hold.

  enum class Window { whole, now };  // has held for its time, or just holds
  /// What was listed before the turn `since` says nothing about what was done in it.
  bool passes(std::string_view gate, std::vector<std::string> names = {},
              Window window = Window::whole, std::uint64_t since = 0);
  /// The workloads of a release that is deployed, or was in the turn `since`.
  bool works(const WantedRelease& release, std::uint64_t since);
  /// Looks at a gate and does not wait for it, so that it is known when something else fails.
  void watches(std::string_view gate, std::vector<std::string> names = {});
  void watches(const WantedRelease& release) { reads_.push_back(ReadWorkloads{&release}); }
  /// What keeps a gate that is watched from holding, as far as it is known.
  std::vector<Unmet> unmet_at(std::string_view key, const std::string& gate) const;

  // What must be there as wanted.

  /// Objects that are compared with what an apply would make of them, and applied where that
  /// differs; several at a time.
  bool ensures(const std::vector<const KubeObject*>& objects,
               const ApplyObject::Keep* keep = nullptr);

  // What must be known. Null: not yet, or it cannot be had, which is noted.

  const KubeObject* object(const KubeRef& ref);  // JSON null: it is not there
  const std::vector<WantedRelease>* helmfile(const std::string& file);
  const KubeObjects* crds(const ReadCrds& read);
  const KubeObject* secret(const KubernetesPlan::SecretItem& item);
  const DeployedRelease* release(const WantedRelease& release, std::uint64_t since);
  /// Has a release looked at again and again.
  void follow(const WantedRelease& release, Duration pace);
  const TreeVerdict* tree();
  const std::vector<JudgedRequest>& requests();

  // What follows.

  void act(Action action) { actions_.push_back(std::move(action)); }
  void wait(Unmet unmet) { unmet_.push_back(std::move(unmet)); }
  /// Something is under way. It is not reported, unless time is up and nothing else is unmet.
  void expect(Unmet unmet);
  void stop(Unmet unmet, StepEnd end = StepEnd::failed);
  void note(Finding finding) { notes_.push_back(std::move(finding)); }
  void warn(const Unmet& unmet, std::string_view where);
  void row(ObjectChange change) { rows_.push_back(std::move(change)); }
  /// What an error of the Kubernetes API means for one object.
  static Unmet unmet_of(std::string object, const CallError& error);

  bool is_stopped() const { return stopped_; }
  std::vector<KubeRead> take_reads() { return std::move(reads_); }
  std::vector<ObjectChange> take_rows() { return std::move(rows_); }
  std::vector<Finding> take_notes() { return std::move(notes_); }
  /// Stop before Act, Act before Wait; Satisfied where nothing is left.
  Decision take_decision();

 private:
  static constexpr std::size_t kUsualReads = 32;

  bool ensure(const KubeObject& object, const ApplyObject::Keep* keep);
  bool judge_gate(const std::string& key, const std::string& name, Window window,
                  std::uint64_t since);
  void meet(const Trouble& trouble);
  void await(const std::string& what);
  template <class T>
  const T* look(const Seen<T>* seen, const std::string& what, std::uint64_t since = 0);

  const KubeWanted& wanted_;
  const KubeView& view_;
  std::vector<KubeRead> reads_;
  std::vector<Action> actions_;
  std::vector<Unmet> unmet_;     // waited for
  std::vector<Unmet> stops_;     // not waited for
  std::vector<Unmet> expected_;  // under way
  std::vector<Finding> notes_;
  std::vector<ObjectChange> rows_;
  bool unseen_{false};
  bool stopped_{false};
  StepEnd end_{StepEnd::passed};
};

/// Under which the gate of a release is in the view.
inline std::string gate_key(const WantedRelease& release) { return "release " + release.name; }

}  // namespace ichor
