#include <fmt/format.h>
#include <optional>

#include "model/journal_facts.h"
#include "sim/checkers/hardware.h"
#include "sim/checkers/make.h"

namespace ichor::sim {

class FixedTarget final : public Checker {
 public:
  explicit FixedTarget(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I2"; }
  std::string_view promise() const override {
    return "the bootstrap target is durable before the first Bootstrap, and all go to it";
  }

  void on_durable(const JournalRecord& record) override {
    if (record.kind == RecordKind::node_excluded) {
      if (target_ && record.node == *target_) released_ = true;
      return;
    }
    if (record.kind != RecordKind::bootstrap_target) return;
    if (target_ && record.node != *target_ && !released_) {
      violated(fmt::format("the bootstrap target changed from {} to {}", target_->value(),
                           record.node.value()));
    }
    target_ = record.node;
    machine_ = decode_identity(record.value).identity;
    released_ = false;
  }

  void see_request(const Request& request) override {
    if (request.call != Call::bootstrap) return;
    if (!target_) {
      violated(fmt::format("Bootstrap left for {} before any target was durable",
                           request.planned.value()));
    } else if (request.planned != *target_) {
      violated(fmt::format("Bootstrap left for {}, but the target is {}", request.planned.value(),
                           target_->value()));
    } else if (request.node != nullptr && !describes(machine_, request.node->spec().hardware)) {
      violated(fmt::format("Bootstrap left for another machine than the one recorded as target {}",
                           target_->value()));
    }
  }

 private:
  std::optional<NodeName> target_;
  Identity machine_;
  bool released_{false};  // the operator took the target out of the plan
};

template std::unique_ptr<Checker> make_checker<FixedTarget>(const Truth& truth);

}  // namespace ichor::sim
