#include <fmt/format.h>

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
    // A kubelet may ask for a certificate at any time; an answer to it is no change of the cluster.
    ++(request.call == Call::approve_csr ? approvals_ : mutations_);
  }

  void on_repeated(const RunResult& result) override {
    if (result.exit != Exit::done) {
      violated(fmt::format("the repeated run ended with {}: {}", static_cast<int>(result.exit),
                           result.verdict));
    } else if (mutations_ != 0 || result.mutations > approvals_) {
      // What it says it sent and what the network saw are two different witnesses.
      violated(fmt::format("the repeated run sent {} mutations and told of {}", mutations_,
                           result.mutations));
    }
  }

 private:
  void follow(int process) {
    process_ = process;
    mutations_ = approvals_ = 0;
  }

  int process_{0};
  int mutations_{0};  // of the latest run
  int approvals_{0};  // of requests of kubelets
};

template std::unique_ptr<Checker> make_checker<Convergence>(const Truth& truth);

}  // namespace ichor::sim
