#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"
#include "sim/kube/request.h"
#include "sim/kube/stack.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

/// helm on the machine of ichor, and Flux' helm-controller in the cluster: what they keep of
/// releases and how an install goes. A started program goes on by itself, whoever waits for it:
/// see lose().
class Helm {
 public:
  struct Ended {
    int exit{0};
    std::string output;
    std::string errors;
  };
  using Done = std::function<void(Ended)>;
  using JobId = std::uint64_t;

  Helm(ApiServer& api, Clock& clock, const KubeStack& stack, SeededRandom random);

  /// Whether the API can be reached from here.
  std::function<bool()> reachable;
  std::function<void(const ReleaseInstall&)> on_install;

  JobId upgrade(int process, const std::string& release, const std::string& version,
                const KubeObject& values, Done done);
  /// SIGTERM, then SIGKILL. The revision that it wrote stays as it is, or is marked as failed.
  void stop(JobId job);
  /// The run of ichor is gone, its programs go on without it; with `too`, they are killed as well.
  void lose(int process, bool too);
  bool busy(const std::string& release) const;
  /// The job keeps this file locked for as long as it runs.
  void hold(JobId job, std::string file);
  bool holds(const std::string& file) const;

  /// What `helm get` says; nothing for a release that is not there.
  std::optional<std::string> version_of(const std::string& release) const;
  std::optional<KubeObject> values_of(const std::string& release) const;
  /// The status of the newest revision: "deployed", "pending-install"; empty without one.
  std::string status_of(const std::string& release) const;
  bool deployed(const WantedRelease& wanted) const;

  /// Flux takes a release over: a revision with the digest in its version.
  void adopt(const std::string& release);
  /// Another helm begins a revision, and never ends it.
  void begin_by_others(const std::string& release);
  bool begun_by_others(const std::string& release) const;

  // --- what goes wrong
  double slowness{1.0};
  double dies{0.0};  // how often an install is killed halfway
  std::string version{"v3.19.2"};

 private:
  struct Revision {
    int number{0};
    std::string status;
    std::string version;
    KubeObject values;
    bool of_others{false};
  };
  struct Job {
    JobId id{0};
    int process{0};
    std::string release;
    std::string version;
    KubeObject values;
    Done done;
    std::size_t written{0};  // objects
    int revision{0};         // zero: not started
    std::string hold;        // a file that it keeps locked
  };

  Job* find(JobId id);
  void step(JobId id);
  /// Looks at the release and writes its new revision; false if the job ended with that.
  bool begin(Job& job);
  bool write_object(Job& job);
  void finish(Job& job);
  void end(JobId id, Ended ended);
  void fail(Job& job, std::string why);
  void record(const std::string& release, int number, const std::string& status);
  /// The newest that the cluster's records show.
  const Revision* newest(const std::string& release) const;
  Revision* revision(const std::string& release, int number);
  KubeRef record_ref(const std::string& release, int number) const;
  Duration pause();

  ApiServer& api_;
  const KubeStack& stack_;
  SeededRandom random_;
  Later later_;
  std::map<std::string, std::vector<Revision>> revisions_;
  std::vector<Job> jobs_;
  JobId ids_{0};
};

}  // namespace ichor::sim
