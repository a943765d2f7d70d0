#include <fmt/format.h>
#include <string>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

class Credentials final : public Checker {
 public:
  explicit Credentials(const Truth& truth) : Checker(truth, Reads::replies) {}

  std::string_view id() const override { return "I18"; }
  std::string_view promise() const override {
    return "a kubeconfig is written whole, as a control plane gave it over a connection that the "
           "cluster's CA vouches for";
  }

  void see_reply(const Request& request, const Reply& reply) override {
    if (request.call != Call::kubeconfig || reply.error) return;
    const NodePlan* plan = truth().profile.find(request.planned);
    const bool vouched = !request.maintenance && request.node != nullptr && plan != nullptr &&
                         plan->role == Role::control_plane;
    Fetched& fetched = fetched_[request.process];
    fetched.vouched = vouched;
    fetched.content = reply.secret;
  }

  void on_written(const Written& written) override {
    if (written.name != "kubeconfig") return;
    const Fetched& fetched = fetched_[written.process];
    if (fetched.content.empty()) {
      violated(fmt::format("run {} wrote a kubeconfig that no node gave it", written.process));
    } else if (!fetched.vouched) {
      violated(fmt::format("run {} wrote a kubeconfig from a node that is not verified",
                           written.process));
    } else if (written.content != fetched.content) {
      violated(fmt::format("run {} wrote {} bytes of a kubeconfig of {}", written.process,
                           written.content.size(), fetched.content.size()));
    }
  }

 private:
  struct Fetched {
    bool vouched{false};
    std::string content;
  };

  PerProcess<Fetched> fetched_;
};

template std::unique_ptr<Checker> make_checker<Credentials>(const Truth& truth);

}  // namespace ichor::sim
