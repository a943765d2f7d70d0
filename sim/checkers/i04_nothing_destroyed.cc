#include <algorithm>
#include <fmt/format.h>

#include "sim/checkers/make.h"

namespace ichor::sim {

class NothingDestroyed final : public Checker {
 public:
  explicit NothingDestroyed(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I4"; }
  std::string_view promise() const override {
    return "bring-up makes no destructive call and installs over no disk that holds data, unless "
           "the operator named it";
  }

  void see_request(const Request& request) override {
    // An upload of a snapshot only adds a file, which a bootstrap may restore.
    const bool known = request.call == Call::apply_configuration ||
                       request.call == Call::bootstrap || request.call == Call::etcd_recover;
    const bool upgrades = request.call == Call::etcd_forfeit_leadership ||
                          (request.call >= Call::pull_image && request.call <= Call::uncordon);
    if (known || (upgrades && truth().upgrade)) return;
    violated(fmt::format("{} was sent to {} and is no part of a bring-up", name_of(request.call),
                         request.planned.value()));
  }

  void on_effect(const Request& request) override {
    if (request.call != Call::apply_configuration || request.node == nullptr) return;
    if (!request.node->disk().etcd_cluster || consented(*request.node)) return;
    violated(fmt::format("a config was put on {}, which holds etcd data", request.planned.value()));
  }

  void on_node_changed(const Node& node) override {
    const std::vector<std::string>& wiped = node.disk().wiped_disks;
    if (wiped.empty() || consented(node)) return;
    violated(fmt::format("the install of {} overwrote disk {}, which held data",
                         node.spec().name.value(), wiped.front()));
  }

 private:
  /// The operator's word for this very machine and a disk that it has.
  bool consented(const Node& node) const {
    const auto& consents = truth().profile.wipe_consents;
    const auto consent = consents.find(node.spec().name);
    return consent != consents.end() &&
           std::any_of(node.spec().disks.begin(), node.spec().disks.end(),
                       [&](const Disk& disk) { return disk.serial == consent->second; });
  }
};

template std::unique_ptr<Checker> make_checker<NothingDestroyed>(const Truth& truth);

}  // namespace ichor::sim
