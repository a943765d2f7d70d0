#include <fmt/format.h>
#include <map>
#include <string>

#include "sim/checkers/make.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class Convergence final : public Checker {
 public:
  explicit Convergence(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I7"; }
  std::string_view promise() const override {
    return "a run on a cluster that is up succeeds and changes nothing";
  }

  void on_process_started(int process) override { follow(process); }

  void see_request(const Request& request) override {
    if (request.process != process_) follow(request.process);
    ++mutations_;
  }

  void on_kube_request(const KubeRequest& request) override {
    if (!request.changes_something()) return;
    if (request.process != process_) follow(request.process);
    ++(answers_a_new_request(request) ? approvals_ : mutations_);
  }

  void on_repeated(const RunResult& result) override {
    // Where nothing brings a CNI, the control plane is all that a run can bring up.
    const bool cni_pending = truth().profile.talos.cni_none && truth().kube == nullptr &&
                             result.exit == Exit::cni_pending;
    if (result.exit != Exit::done && !cni_pending) {
      violated(fmt::format("the repeated run ended with {}: {}", static_cast<int>(result.exit),
                           result.verdict));
    } else if (mutations_ != 0 || result.mutations > approvals_) {
      // What it says it sent and what the network saw are two different witnesses.
      violated(fmt::format("the repeated run sent {} mutations and reported {}", mutations_,
                           result.mutations));
    }
  }

 private:
  /// A kubelet may ask for a certificate at any time, so the first answer to it is no change of the
  /// cluster. What an earlier run has tried to approve is left over from that run, and counts.
  bool answers_a_new_request(const KubeRequest& request) {
    if (request.call != Call::approve_csr) return false;
    const auto [known, is_new] = first_tried_.try_emplace(to_text(request.ref), request.process);
    return is_new || known->second == request.process;
  }

  void follow(int process) {
    process_ = process;
    mutations_ = approvals_ = 0;
  }

  int process_{0};
  int mutations_{0};                        // of the latest run
  int approvals_{0};                        // of it, of requests that no earlier run tried
  std::map<std::string, int> first_tried_;  // certificate requests, with the run that was first
};

template std::unique_ptr<Checker> make_checker<Convergence>(const Truth& truth);

}  // namespace ichor::sim
