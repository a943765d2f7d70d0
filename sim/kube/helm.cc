#include "sim/kube/helm.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

namespace {

using std::chrono::milliseconds;

constexpr const char* kUnreachable =
    "Error: Kubernetes cluster unreachable: Get \"https://192.168.22.100:6443/version\": dial tcp: "
    "connect: connection refused";

KubeObject name_space_of(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
}

}  // namespace

Helm::Helm(ApiServer& api, Clock& clock, const KubeStack& stack, SeededRandom random)
    : api_(api), stack_(stack), random_(random), later_(clock) {}

Duration Helm::pause() {
  const Duration plain = random_.between(milliseconds(150), milliseconds(1200));
  return Duration(static_cast<Duration::rep>(static_cast<double>(plain.count()) * slowness));
}

KubeRef Helm::record_ref(const std::string& release, int number) const {
  const KubeStack::Chart* chart = stack_.find(release);
  return {{"", "v1", "Secret"},
          chart ? chart->name_space : "default",
          fmt::format("sh.helm.release.v1.{}.v{}", release, number)};
}

Helm::Job* Helm::find(JobId id) {
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == id; });
  return found == jobs_.end() ? nullptr : &*found;
}

Helm::Revision* Helm::revision(const std::string& release, int number) {
  for (Revision& one : revisions_[release]) {
    if (one.number == number) return &one;
  }
  return nullptr;
}

const Helm::Revision* Helm::newest(const std::string& release) const {
  const auto known = revisions_.find(release);
  if (known == revisions_.end()) return nullptr;
  const Revision* best = nullptr;
  for (const Revision& one : known->second) {
    const bool there = api_.find(record_ref(release, one.number)) != nullptr;
    if (there && (!best || one.number > best->number)) best = &one;
  }
  return best;
}

void Helm::record(const std::string& release, int number, const std::string& status) {
  Revision* one = revision(release, number);
  one->status = status;
  const KubeRef ref = record_ref(release, number);
  KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", "helm.sh/release.v1"}};
  secret["metadata"] = {{"name", ref.name},
                        {"namespace", ref.name_space},
                        {"labels",
                         {{"owner", "helm"},
                          {"name", release},
                          {"status", status},
                          {"version", std::to_string(number)}}}};
  api_.put(std::move(secret), "helm");
}

Helm::JobId Helm::upgrade(int process, const std::string& release, const std::string& chart_version,
                          const KubeObject& values, Done done) {
  Job job;
  job.id = ++ids_;
  job.process = process;
  job.release = release;
  job.version = chart_version;
  job.values = values;
  job.done = std::move(done);
  jobs_.push_back(std::move(job));
  later_.after(pause(), [this, id = ids_] { step(id); });
  return ids_;
}

void Helm::step(JobId id) {
  Job* job = find(id);
  if (!job) return;
  if (job->revision != 0 && dies > 0 && random_.chance(dies)) {
    end(id, {137, "", "Killed"});
    return;
  }
  if (reachable && !reachable()) {
    end(id, {1, "", kUnreachable});
    return;
  }
  const KubeStack::Chart* chart = stack_.find(job->release);
  if (!chart) {
    end(id, {1, "", "Error: path \"charts\" not found"});
    return;
  }
  if (job->revision == 0) {
    if (!begin(*job)) return;
  } else if (job->written < chart->objects.size()) {
    if (!write_object(*job)) return;
  } else {
    finish(*job);
    return;
  }
  later_.after(pause(), [this, id] { step(id); });
}

bool Helm::begin(Job& job) {
  const Revision* last = newest(job.release);
  if (last && last->status.starts_with("pending-")) {
    end(job.id, {1, "",
                 "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in "
                 "progress"});
    return false;
  }
  const std::string& name_space = stack_.find(job.release)->name_space;
  if (!api_.find({{"", "v1", "Namespace"}, "", name_space})) {
    api_.put(name_space_of(name_space), "helm");
  }
  if (on_install) on_install({job.process, job.release, busy(job.release)});
  job.revision = last ? last->number + 1 : 1;
  // Helm writes over a revision of this number that lost its record.
  auto& all = revisions_[job.release];
  std::erase_if(all, [&](const Revision& one) { return one.number == job.revision; });
  all.push_back({job.revision, "", job.version, job.values});
  record(job.release, job.revision, last ? "pending-upgrade" : "pending-install");
  return true;
}

bool Helm::write_object(Job& job) {
  const KubeObject& object = stack_.find(job.release)->objects[job.written];
  const KubeKind kind = kind_of(object);
  if (!api_.served(kind)) {
    fail(job, fmt::format("Error: unable to build kubernetes objects from release manifest: "
                          "resource mapping not found: no matches for kind \"{}\"",
                          kind.kind));
    return false;
  }
  if (const auto refusal = api_.admission(Call::kube_apply, ref_of(object))) {
    fail(job, "Error: " + refusal->error.text);
    return false;
  }
  const KubeObject* there = api_.find(ref_of(object));
  if (!there || at(*there, {"spec"}) != at(object, {"spec"})) api_.put(object, "helm");
  ++job.written;
  return true;
}

void Helm::finish(Job& job) {
  for (const Revision& one : revisions_[job.release]) {
    const bool old = one.status == "deployed" && one.number != job.revision;
    if (old) record(job.release, one.number, "superseded");
  }
  record(job.release, job.revision, "deployed");
  end(job.id, {0, "deployed", ""});
}

void Helm::fail(Job& job, std::string why) {
  record(job.release, job.revision, "failed");
  end(job.id, {1, "", std::move(why)});
}

void Helm::end(JobId id, Ended ended) {
  Job* job = find(id);
  const Done done = std::move(job->done);
  jobs_.erase(jobs_.begin() + (job - jobs_.data()));
  if (done) done(std::move(ended));
}

void Helm::stop(JobId id) {
  Job* job = find(id);
  if (!job) return;
  // It says that it failed, if it still can.
  const bool can = job->revision != 0 && (!reachable || reachable());
  if (can && random_.chance(0.5)) record(job->release, job->revision, "failed");
  jobs_.erase(jobs_.begin() + (job - jobs_.data()));
}

void Helm::lose(int process, bool too) {
  if (too) {
    std::erase_if(jobs_, [&](const Job& job) { return job.process == process; });
    return;
  }
  for (Job& job : jobs_) {
    if (job.process == process) job.done = nullptr;
  }
}

void Helm::hold(JobId job, std::string file) {
  if (Job* found = find(job)) found->hold = std::move(file);
}

bool Helm::holds(const std::string& file) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.hold == file; });
}

bool Helm::busy(const std::string& release) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const Job& job) { return job.release == release && job.revision != 0; });
}

std::optional<std::string> Helm::version_of(const std::string& release) const {
  const Revision* last = newest(release);
  return last ? std::optional(last->version) : std::nullopt;
}

std::optional<KubeObject> Helm::values_of(const std::string& release) const {
  const Revision* last = newest(release);
  return last ? std::optional(last->values) : std::nullopt;
}

std::string Helm::status_of(const std::string& release) const {
  const Revision* last = newest(release);
  return last ? last->status : std::string();
}

bool Helm::deployed(const WantedRelease& wanted) const {
  const Revision* last = newest(wanted.name);
  if (!last || last->status != "deployed" || last->values != wanted.values) return false;
  return last->version.substr(0, last->version.find('+')) == wanted.version;
}

void Helm::adopt(const std::string& release) {
  const Revision* last = newest(release);
  if (!last || last->status != "deployed" || last->version.find('+') != std::string::npos) return;
  const int number = last->number;
  revisions_[release].push_back({number + 1, "", last->version + "+0a1b2c3d4e5f", last->values});
  record(release, number, "superseded");
  record(release, number + 1, "deployed");
}

void Helm::begin_by_others(const std::string& release) {
  const Revision* last = newest(release);
  const int number = last ? last->number + 1 : 1;
  const char* status = last ? "pending-upgrade" : "pending-install";
  revisions_[release].push_back({number, "", "0.0.1", KubeObject::object(), true});
  record(release, number, status);
}

bool Helm::begun_by_others(const std::string& release) const {
  const Revision* last = newest(release);
  return last && last->of_others && last->status.starts_with("pending-");
}

}  // namespace ichor::sim
