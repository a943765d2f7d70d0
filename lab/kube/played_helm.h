#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "port/kube_client.h"
#include "port/process.h"

namespace ichor {

/// The programs of this machine, and where helm is missing, a helm that is played: it keeps its
/// releases in the cluster as helm does, but what a chart holds is made up by the release's name
/// (sim/kube/charts.h). For labs only: no real cluster is given made-up objects.
class PlayedHelm final : public Processes {
 public:
  /// `client` leads to the lab's API, once that is open; null before.
  using Client = std::function<KubeClient*()>;
  PlayedHelm(Processes& inner, Client client) : inner_(inner), client_(std::move(client)) {}

  std::optional<std::string> find(const std::string& name) override;
  /// What is played here ends with us.
  bool is_held(const std::string& hold) override { return inner_.is_held(hold); }
  Task<Result<ProcessResult>> run(Context context, ProcessCall call) override;
  /// Whether helm is missing on this machine, under its name or the one that the profile gives.
  bool plays(const std::string& name);

  static constexpr const char* kProgram = "/played-by-the-lab/helm";

 private:
  struct Revision {
    int number{0};
    std::string status;
    KubeObject release;  // as helm writes it down
  };
  struct Asked;

  Task<Result<ProcessResult>> play(Context context, ProcessCall call);
  Task<ProcessResult> upgrade(Context context, KubeClient& client, Asked asked);
  Task<ProcessResult> get(Context context, KubeClient& client, Asked asked);
  Task<CallResult<Revision>> newest(Context context, KubeClient& client, Asked asked);
  Task<CallResult<KubeObject>> record(Context context, KubeClient& client, Asked asked,
                                      Revision revision);

  Processes& inner_;
  Client client_;
};

}  // namespace ichor
