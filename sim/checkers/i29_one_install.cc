#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class OneInstall final : public Checker {
 public:
  explicit OneInstall(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I29"; }
  std::string_view promise() const override {
    return "a release is never installed twice at a time, nor over a revision that another client "
           "or a living helm has not ended";
  }

  void on_install(const ReleaseInstall& install) override {
    if (!install.beside_another) return;
    violated(fmt::format("run {} installs {} while another helm still writes it", install.process,
                         install.release));
  }

  /// The record of a revision is taken away before it arrives.
  void on_kube_request(const KubeRequest& request) override {
    if (!truth().kube || request.call != Call::kube_delete) return;
    const std::string release = release_of(request.ref.name);
    const Helm& helm = truth().kube->helm();
    if (release.empty()) {
      violated(fmt::format("{} was deleted, which is no record of helm's", to_text(request.ref)));
    } else if (helm.busy(release)) {
      violated(fmt::format("{} was deleted while its helm still works", to_text(request.ref)));
    } else if (helm.begun_by_others(release)) {
      violated(fmt::format("{} was deleted, which another client began", to_text(request.ref)));
    }
  }

 private:
  /// "sh.helm.release.v1.NAME.vN".
  static std::string release_of(const std::string& record) {
    constexpr std::string_view start = "sh.helm.release.v1.";
    if (!record.starts_with(start)) return {};
    return record.substr(start.size(), record.rfind('.') - start.size());
  }
};

template std::unique_ptr<Checker> make_checker<OneInstall>(const Truth& truth);

}  // namespace ichor::sim
