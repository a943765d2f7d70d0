#include "phase/kubernetes/course.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/phase_report.h"
#include "wait/kube_retry.h"

namespace ichor {

namespace {

template <class Map, class Key>
const typename Map::mapped_type* find_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Of the object, as soon as it was asked for.
std::string name_of(const Seen<Difference>* seen) {
  if (seen && seen->value) return seen->value->object;
  return seen && seen->trouble ? seen->trouble->unmet.object : std::string();
}

StepEnd worse_of(StepEnd one, StepEnd other) {
  PhaseReport report;
  report.end = one;
  report.worsen(other);
  return report.end;
}

}  // namespace

Unmet Course::unmet_of(std::string object, const CallError& error) {
  const KubeVerdict verdict = judge_kube(error);
  return {std::move(object), error.text, std::string(verdict.hint), std::string(verdict.fault),
          verdict.reaction == Reaction::give_up};
}

void Course::stop(Unmet unmet, StepEnd end) {
  stopped_ = true;
  end_ = worse_of(end_, end);
  stops_.push_back(std::move(unmet));
}

void Course::warn(const Unmet& unmet, std::string_view where) {
  Finding finding = finding_of(unmet, where);
  finding.severity = Severity::warning;
  notes_.push_back(std::move(finding));
}

void Course::expect(Unmet unmet) {
  unseen_ = true;
  expected_.push_back(std::move(unmet));
}

void Course::await(const std::string& what) {
  expect({what, "it has not been seen yet", "is an API server up and reachable?", "K3", false});
}

void Course::meet(const Trouble& trouble) {
  if (trouble.final) return stop(trouble.unmet, trouble.end);
  unseen_ = unseen_ || !trouble.not_yet;
  wait(trouble.unmet);
}

template <class T>
const T* Course::look(const Seen<T>* seen, const std::string& what, std::uint64_t since) {
  const bool answered = seen && seen->turn >= since && (seen->value || seen->trouble);
  if (!answered) {
    await(what);
    return nullptr;
  }
  if (!seen->trouble) return &*seen->value;
  meet(*seen->trouble);
  return nullptr;
}

bool Course::judge_gate(const std::string& key, const std::string& name, Window window,
                        std::uint64_t since) {
  const GateState* state = find_in(view_.gates, key);
  if (view_.assumed.contains(name)) return true;
  if (!state || state->turn < since) {
    await("the gate " + name);
    return false;
  }
  if (state->holds()) {
    for (const Finding& finding : state->notes) note(finding);
    if (window == Window::now || state->is_steady(wanted_.now)) return true;
    Unmet unsteady = state->unsteady(name);
    unsteady.gate = name;
    wait(std::move(unsteady));
    return false;
  }
  if (!state->seen && state->unmet.empty()) {
    await("the gate " + name);
    return false;
  }
  unseen_ = unseen_ || !state->seen;
  for (Unmet unmet : state->unmet) {
    unmet.gate = name;
    if (state->refused) {
      stop(std::move(unmet));
    } else if (state->over) {
      stop(std::move(unmet), StepEnd::out_of_time);
    } else {
      wait(std::move(unmet));
    }
  }
  return false;
}

bool Course::passes(std::string_view gate, std::vector<std::string> names, Window window,
                    std::uint64_t since) {
  reads_.emplace_back(ReadGate{gate, std::move(names), since});
  const std::string name(gate);
  return judge_gate(name, name, window, since);
}

bool Course::works(const WantedRelease& release, std::uint64_t since) {
  reads_.emplace_back(ReadWorkloads{&release, since});
  return judge_gate(gate_key(release), release.name, Window::whole, since);
}

void Course::watches(std::string_view gate, std::vector<std::string> names) {
  reads_.emplace_back(ReadGate{gate, std::move(names)});
}

std::vector<Unmet> Course::unmet_at(std::string_view key, const std::string& gate) const {
  const GateState* state = find_in(view_.gates, key);
  std::vector<Unmet> unmet;
  if (!state || !state->seen) return unmet;
  for (Unmet one : state->unmet) {
    one.gate = gate;
    unmet.push_back(std::move(one));
  }
  return unmet;
}

bool Course::ensures(const std::vector<const KubeObject*>& objects, const ApplyObject::Keep* keep) {
  bool all = true;
  for (const KubeObject* object : objects) {
    if (!ensure(*object, keep)) all = false;
  }
  return all;
}

bool Course::ensure(const KubeObject& object, const ApplyObject::Keep* keep) {
  const bool force = wanted_.force_conflicts;
  const Seen<Difference>* seen = find_in(view_.differences, &object);
  const std::string name = name_of(seen);
  const Attempt* tried = name.empty() ? nullptr : view_.attempt(name);
  const bool applied = tried && tried->done;
  if (applied && tried->turn >= view_.last_look) {
    row(tried->change);
    return true;
  }
  if (tried && tried->over) {
    Unmet unmet = unmet_of(name, *tried->error);
    const StepEnd end = unmet.hopeless ? StepEnd::failed : StepEnd::out_of_time;
    stop(std::move(unmet), end);
    return false;
  }
  if (tried && tried->in_flight) {
    expect({name, "it is being applied", "give it more time", "K3", false});
    return false;
  }
  const std::uint64_t since = std::max(view_.last_look, tried ? tried->turn : 0);
  reads_.emplace_back(ReadDifference{&object, force, since});
  const bool fresh = seen && seen->turn >= since;
  if (fresh && seen->trouble && view_.assumed.contains(name)) {
    // What it belongs to would be there by then.
    act(ApplyObject{object, force, {name, "create", {}}});
    return false;
  }
  if (tried && tried->error && !applied) wait(unmet_of(name, *tried->error));
  const Difference* found = look(seen, name.empty() ? "an object" : name, since);
  if (!found) return false;
  if (found->change == "none") {
    row(applied ? tried->change : ObjectChange{found->object, "none", {}});
    return true;
  }
  ApplyObject apply{object, force, {found->object, found->change, found->lines}};
  if (keep) apply.keep = *keep;
  act(std::move(apply));
  return false;
}

const KubeObject* Course::object(const KubeRef& ref) {
  reads_.emplace_back(ReadObject{ref});
  return look(find_in(view_.objects, ref), to_text(ref));
}

const std::vector<WantedRelease>* Course::helmfile(const std::string& file) {
  reads_.emplace_back(ReadHelmfile{file});
  return look(find_in(view_.helmfiles, file), file);
}

const KubeObjects* Course::crds(const ReadCrds& read) {
  reads_.emplace_back(read);
  const void* const key = read.chart ? static_cast<const void*>(read.chart) : read.release;
  return look(find_in(view_.crds, key), read.chart ? read.chart->chart : read.release->chart);
}

const KubeObject* Course::secret(const KubernetesPlan::SecretItem& item) {
  reads_.emplace_back(ReadSecret{&item});
  return look(find_in(view_.secrets, &item),
              fmt::format("Secret/{}/{}", item.name_space, item.name));
}

const DeployedRelease* Course::release(const WantedRelease& release, std::uint64_t since) {
  reads_.emplace_back(ReadRelease{&release, since});
  const std::string key = key_of(release);
  return look(find_in(view_.releases, key), key, since);
}

void Course::follow(const WantedRelease& release, Duration pace) {
  reads_.emplace_back(ReadRelease{&release, {}, pace});
}

const TreeVerdict* Course::tree() {
  reads_.emplace_back(ReadTree{});
  return look(&view_.tree, plan().flux.kustomize_root);
}

const std::vector<JudgedRequest>& Course::requests() {
  reads_.emplace_back(ReadRequests{});
  return view_.requests;
}

Decision Course::take_decision() {
  if (stopped_) {
    Stop stop;
    stop.unmet = std::move(stops_);
    stop.end = end_;
    return stop;
  }
  const bool waits = !unmet_.empty() || !expected_.empty();
  if (!actions_.empty()) return Act(std::move(actions_), std::move(unmet_));
  if (!waits) return Satisfied{};
  Wait wait;
  wait.unseen = unseen_;
  if (!unmet_.empty()) {
    const std::string& gate = unmet_.front().gate;
    wait.reason = (gate.empty() ? "" : gate + ": ") + summary_of(unmet_);
  }
  wait.unmet = unmet_.empty() ? std::move(expected_) : std::move(unmet_);
  return wait;
}

}  // namespace ichor
