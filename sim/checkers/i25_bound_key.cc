#include <fmt/format.h>
#include <string>

#include "model/journal_facts.h"
#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

class BoundKey final : public Checker {
 public:
  explicit BoundKey(const Truth& truth) : Checker(truth), bound_(truth) {}

  std::string_view id() const override { return "I25"; }
  std::string_view promise() const override {
    return "a node in maintenance mode gets its config under the key bound to it, and another key "
           "is bound only after a reboot or when the node has set its clock";
  }

  void on_durable(const JournalRecord& record) override {
    const bool reset = record.kind == RecordKind::observed && record.key == kResetKey;
    if (!reset && record.kind != RecordKind::identity_bound) return;
    BoundIdentity* bound = bound_.find(record.node);
    if (bound == nullptr || !binds_keys()) return;
    if (reset) {
      bound->fingerprint = {};
      return;
    }
    BoundIdentity next = decode_identity(record.value);
    // The machines of a simulation do not lie about their boots.
    const bool other_key =
        !bound->fingerprint.value().empty() && !(next.fingerprint == bound->fingerprint);
    const bool rebooted = next.identity.since != bound->identity.since;
    if (other_key && !rebooted && bound->clock_set) {
      violated(fmt::format("{} was bound to another key within one boot", record.node.value()));
    }
    *bound = std::move(next);
  }

  void see_request(const Request& request) override {
    if (request.call != Call::apply_configuration || !request.maintenance || !binds_keys()) return;
    const BoundIdentity* bound = bound_.find(request.planned);
    if (bound != nullptr && bound->fingerprint == request.key) return;
    violated(fmt::format("{} left for {} under a key that is not bound to it",
                         name_of(request.call), request.planned.value()));
  }

 private:
  bool binds_keys() const {
    const Trust trust = truth().profile.trust;
    return trust == Trust::tofu || trust == Trust::strict;
  }

  PerNode<BoundIdentity> bound_;
};

template std::unique_ptr<Checker> make_checker<BoundKey>(const Truth& truth);

}  // namespace ichor::sim
