#include "phase/kubernetes/core_phase.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/core_secrets.h"
#include "phase/kubernetes/crds_phase.h"
#include "phase/kubernetes/gate_table.h"

namespace ichor {

namespace {

/// How often ichor looks whether a helm of an earlier run has ended.
constexpr Duration kOrphanPace = std::chrono::seconds(10);

/// A release and what must work before it starts.
struct Item {
  const WantedRelease* release;
  std::vector<std::string> needs;
};
using Items = std::vector<Item>;

const Item* find_item(const Items& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const Item& item) { return item.release->name == name; });
  return found == items.end() ? nullptr : &*found;
}

/// A release without needs of its own needs the CNI, where the plan has one.
Items with_default_needs(const std::vector<const WantedRelease*>& releases,
                         const KubernetesPlan& plan) {
  Items items;
  for (const WantedRelease* release : releases) items.push_back({release, release->needs});
  const std::string& cni = plan.gates.cilium_daemonset;
  if (!find_item(items, cni)) return items;
  for (Item& item : items) {
    if (!item.needs.empty() || item.release->name == cni) continue;
    const auto own = std::find_if(plan.core.releases.begin(), plan.core.releases.end(),
                                  [&](const auto& one) { return one.name == item.release->name; });
    const bool chosen = own != plan.core.releases.end() && own->needs_given;
    if (!chosen) item.needs.push_back(cni);
  }
  return items;
}

/// The releases of one look: what is deployed, what can start, what failed.
class Installs {
 public:
  Installs(Course& course, const Items& items) : course_(course), items_(items) {
    for (const Item& item : items) {
      const Attempt* attempt = course.view().attempt(key_of(*item.release));
      if (attempt && attempt->in_flight) ++running_;
    }
  }

  /// Whether all of these are deployed and work; what can start is started.
  bool finish(const Items& some) {
    bool all = true;
    for (const Item& item : some) {
      if (!works(item)) all = false;
    }
    return all;
  }

  /// A release and all that it needs, directly or not.
  Items with_needs(const std::string& name) const {
    std::vector<std::string> wanted{name};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Item* item = find_item(items_, wanted[i]);
      if (!item) continue;
      for (const std::string& need : item->needs) {
        if (std::find(wanted.begin(), wanted.end(), need) == wanted.end()) wanted.push_back(need);
      }
    }
    Items found;
    std::copy_if(items_.begin(), items_.end(), std::back_inserter(found), [&](const Item& item) {
      return std::find(wanted.begin(), wanted.end(), item.release->name) != wanted.end();
    });
    return found;
  }

 private:
  bool is_cni(const WantedRelease& release) const {
    return release.name == course_.plan().gates.cilium_daemonset;
  }

  /// Judged once in a look, however many need it. In a circle of needs none can be first.
  bool works(const Item& item) {
    const auto known = judged_.find(item.release);
    if (known != judged_.end()) return known->second;
    judged_[item.release] = false;
    const bool good = may_start(item) && is_deployed(*item.release) && is_working(*item.release);
    judged_[item.release] = good;
    return good;
  }

  /// A need that is not a release of the list is taken as given.
  bool may_start(const Item& item) {
    bool free = true;
    for (const std::string& need : item.needs) {
      const Item* other = find_item(items_, need);
      if (other && !works(*other)) free = false;
    }
    return free;
  }

  /// What others need must work before they start; the CNI on every node.
  bool is_working(const WantedRelease& release) {
    const std::uint64_t since = deployed_in(key_of(release));
    if (!is_cni(release)) return course_.works(release, since);
    return course_.passes("cilium", {}, Course::Window::whole, since);
  }

  /// The turn in which it was installed, or was first seen to be: what was listed before may lack
  /// what helm has made.
  std::uint64_t deployed_in(const std::string& key) const {
    const Attempt* attempt = course_.view().attempt(key);
    if (attempt && attempt->done) return attempt->turn;
    const auto seen = course_.view().releases.find(key);
    return seen == course_.view().releases.end() ? 0 : seen->second.turn;
  }

  bool is_deployed(const WantedRelease& release) {
    const std::string key = key_of(release);
    const Attempt* attempt = course_.view().attempt(key);
    if (attempt && attempt->done) {
      course_.row(attempt->change);
      return true;
    }
    if (attempt && attempt->in_flight) {
      if (!is_cni(release)) course_.watches(release);
      course_.expect({key, "helm installs it", "give it more time", "K6", false});
      return false;
    }
    if (attempt && attempt->over) {
      give_up(release, *attempt->error);
      return false;
    }
    return compare(release, key);
  }

  /// Names what keeps it from working as far as that is known.
  std::vector<Unmet> explain(const WantedRelease& release) {
    if (is_cni(release)) return course_.unmet_at("cilium", "cilium");
    course_.watches(release);
    return course_.unmet_at(gate_key(release), release.name);
  }

  void give_up(const WantedRelease& release, const CallError& error) {
    const bool late = error.code == Code::deadline_exceeded;
    const StepEnd end = late ? StepEnd::out_of_time : StepEnd::failed;
    course_.stop(
        {key_of(release), error.text,
         fmt::format("`helm status {} -n {}`", release.name, release.name_space), "K6", !late},
        end);
    if (!late) return;
    for (Unmet& unmet : explain(release)) course_.stop(std::move(unmet), end);
    for (Unmet& unmet : course_.unmet_at("nodes", "nodes")) course_.stop(std::move(unmet), end);
  }

  bool compare(const WantedRelease& release, const std::string& key) {
    const auto before = course_.view().releases.find(key);
    const Attempt* cleared = nullptr;
    if (before != course_.view().releases.end() && before->second.value) {
      cleared = course_.view().attempt(to_text(before->second.value->record));
    }
    const DeployedRelease* deployed =
        course_.release(release, cleared && cleared->done ? cleared->turn : 0);
    if (!deployed) return false;
    if (deployed->at_work && !course_.view().assumed.contains(key)) {
      course_.follow(release, kOrphanPace);
      course_.wait(
          {key, "a helm of an earlier run still installs it", "give it more time", "K6", false});
      return false;
    }
    const std::string reason = reason_to_install(release, *deployed);
    if (reason.empty()) {
      course_.row({key, "none", {}});
      return true;
    }
    if (deployed->status.starts_with("pending-")) {
      clear_pending(release, *deployed);
      return false;
    }
    if (running_ >= course_.plan().core.parallel) {
      course_.expect({key, "others are installed first", "give it more time", "K6", false});
      return false;
    }
    ++running_;
    course_.act(InstallRelease{release, {key, deployed->there ? "update" : "create", {reason}}});
    return false;
  }

  /// A revision that helm started and never ended bars every later one. It is taken away only where
  /// our own journal says that it was ours and cut short; the helm of another may still be at
  /// work. Ours is not: see `at_work`.
  void clear_pending(const WantedRelease& release, const DeployedRelease& deployed) {
    const std::string key = key_of(release);
    if (!course_.wanted().facts.is_open(key)) {
      return course_.stop({key,
                           fmt::format("its last revision is {}, and not by us", deployed.status),
                           fmt::format("wait for whoever installs it, or `helm rollback {} -n {}`",
                                       release.name, release.name_space),
                           "K5", true});
    }
    const std::string record = to_text(deployed.record);
    const Attempt* removal = course_.view().attempt(record);
    if (removal && removal->over) {
      return course_.stop({record, to_text(*removal->error), "delete it by hand", "K3", false});
    }
    course_.act(DeleteObject{deployed.record, deployed.uid,
                             fmt::format("{}: take away what was cut short", key)});
  }

  Course& course_;
  const Items& items_;
  std::map<const WantedRelease*, bool> judged_;
  int running_{0};
};

/// Whether there is, or will be, something that gives pods a network. Nothing: not known yet.
std::optional<bool> finds_cni(Course& course, const Items& items) {
  const KubernetesPlan::Gates& gates = course.plan().gates;
  if (find_item(items, gates.cilium_daemonset)) return true;
  const KubeRef ref{{"apps", "v1", "DaemonSet"}, gates.cilium_namespace, gates.cilium_daemonset};
  const KubeObject* there = course.object(ref);
  if (!there) return std::nullopt;
  return !there->is_null();
}

/// The gates after the releases, all in one look.
void pass_gates(Course& course, bool has_cni) {
  for (const std::string_view gate : gates_of_phase(2, course.plan())) {
    if (gate == "cilium" && !has_cni) continue;
    course.passes(
        gate, gate == "nodes" ? node_names(course.wanted().profile) : std::vector<std::string>());
  }
}

void install_and_pass(Course& course) {
  const auto releases = wanted_releases(course);
  if (!releases) return;
  const Items items = with_default_needs(*releases, course.plan());
  const std::optional<bool> has_cni = finds_cni(course, items);
  if (!has_cni) return;
  if (!*has_cni && course.wanted().profile.talos.cni_none) {
    return course.stop({"CNI", "the profile says cni: none, and no release installs one",
                        "add Cilium to phases.core, or say talos.cni: flannel", "K1", true},
                       StepEnd::cni_pending);
  }
  if (!finds_bootstrap_secrets(course)) return;
  course.watches("nodes", node_names(course.wanted().profile));
  if (*has_cni) course.watches("cilium");
  Installs installs(course, items);
  // The network first, then Ready nodes, then the sealed-secrets key pair: any release after that
  // may bring its controller, Flux above all.
  if (!course.wanted().material.sealed_keys.empty()) {
    const Items network = installs.with_needs(course.plan().gates.cilium_daemonset);
    if (!installs.finish(network) || !sends_sealed_key(course)) return;
  }
  if (installs.finish(items)) pass_gates(course, *has_cni);
}

/// Approves requests as they come, and names those that it does not.
void answer_requests(Course& course) {
  for (const JudgedRequest& request : course.requests()) {
    const std::string object = to_text(ref_of(*request.csr));
    const Attempt* attempt = course.view().attempt(object);
    if (attempt && attempt->done) {
      course.row(attempt->change);
    } else if (attempt && attempt->over) {
      course.warn({object, to_text(*attempt->error), "approve it by hand", "K2", false}, "core");
    } else if (request.verdict.kind == CsrVerdict::Kind::refuse) {
      course.warn(refused_csr(*request.csr, request.verdict), "core");
    } else if (!attempt || !attempt->in_flight) {
      course.act(ApproveCsr{*request.csr, request.verdict.reason});
    }
  }
}

}  // namespace

void CorePhase::follow(Course& course) const {
  install_and_pass(course);
  if (course.plan().core.approve_csrs) answer_requests(course);
}

}  // namespace ichor
