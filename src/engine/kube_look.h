#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/bell.h"
#include "async/context.h"
#include "async/task_group.h"
#include "phase/kubernetes/helm.h"
#include "phase/kubernetes/kube_view.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/material.h"

namespace ichor {

/// The eyes of a Kubernetes phase: brings what it asks to see into its view, side by side, and
/// keeps gates judged by mirrors. What fails in a way that may pass is asked again, at the pace of
/// the retry limits.
class KubeLook {
 public:
  /// All must outlive it. `changed` rings whenever the view has changed.
  KubeLook(Context context, KubeWorld& world, const KubernetesMaterial& material,
           const ClusterProfile& profile, std::string_view phase, KubeView& view, Bell& changed);

  /// Judges what the mirrors hold by now.
  void judge();
  /// Starts to look at what is asked for and not there, or not fresh enough.
  void ask(const std::vector<KubeRead>& reads);
  /// Has every mirror listed once more, so that a verdict rests on what was just seen together.
  /// False if something was not answered.
  Task<bool> refresh(Context context);

  /// How often a question was answered; a ring without an answer comes from a mirror.
  std::uint64_t answers() const { return answers_; }
  /// Whether a gate still waits for an answer.
  bool asks() const;
  /// When to look again, if nothing changes until then.
  MonoTime due() const;
  /// Waits for all that still runs, after the context was cancelled.
  Task<void> join();

 private:
  /// What is under way for one part of the view.
  struct Asked {
    bool runs{false};
    int failures{0};
    MonoTime again_at{};
  };

  void ask(const ReadGate& read);
  void ask(const ReadWorkloads& read);
  void ask(const ReadRequests& read);
  void ask(const ReadObject& read);
  void ask(const ReadDifference& read);
  void ask(const ReadHelmfile& read);
  void ask(const ReadCrds& read);
  void ask(const ReadSecret& read);
  void ask(const ReadRelease& read);
  void ask(const ReadTree& read);

  template <class T, class Start>
  void bring(Seen<T>& seen, Start start, std::uint64_t since = 0, Duration pace = Duration::max());
  template <class T>
  Task<void> take(Seen<T>& seen, Asked& asked, Task<Looked<T>> answer);
  void keep(std::string key, Gate gate);
  void keep_fresh(const std::string& key, std::uint64_t since);
  Task<void> list_again(GateKeeper& keeper, GateState& state, Asked& asked);

  Task<Looked<KubeObject>> get(KubeRef ref);
  Task<Looked<Difference>> compare(const KubeObject& object, bool force);
  Task<Looked<KubeObjects>> render(ReadCrds read);
  Task<Looked<KubeObject>> fetch_secret(const KubernetesPlan::SecretItem& item);
  Task<Looked<TreeVerdict>> check_tree_now();

  ToolPlace tools() const { return {world_.processes, world_.state_path, material_}; }
  void say(EventKind kind, std::string text, int attempt) const;

  Context context_;
  KubeWorld& world_;
  const KubernetesMaterial& material_;
  const ClusterProfile& profile_;
  ToolPlace tools_;
  GateWorld place_;
  KubeView& view_;
  Bell& changed_;
  KubeMirrors mirrors_;
  std::map<std::string, std::unique_ptr<GateKeeper>> keepers_;
  const KubeMirror* requests_{nullptr};
  std::uint64_t requests_at_{0};
  std::map<const void*, Asked> asked_;
  int running_{0};
  std::uint64_t answers_{0};
  MonoTime next_{kNever};
  TaskGroup looks_;
};

}  // namespace ichor
