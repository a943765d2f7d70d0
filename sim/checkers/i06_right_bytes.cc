#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

class RightBytes final : public Checker {
 public:
  explicit RightBytes(const Truth& truth) : Checker(truth), intended_(truth) {}

  std::string_view id() const override { return "I6"; }
  std::string_view promise() const override {
    return "the bytes sent are those that were rendered for the node and named in the journal";
  }

  void on_durable(const JournalRecord& record) override {
    if (record.kind == RecordKind::secrets_fixed) secrets_ = digest_from_hex(record.value);
    if (record.kind != RecordKind::intent || record.call != Call::apply_configuration) return;
    Digest* intended = intended_.find(record.node);
    if (intended != nullptr) *intended = digest_from_hex(record.value);
  }

  void see_request(const Request& request) override {
    if (request.call != Call::apply_configuration) return;
    const std::string_view wrong = what_is_wrong(request);
    if (wrong.empty()) return;
    violated(fmt::format("a config left for {}: {}", request.planned.value(), wrong));
  }

 private:
  std::string_view what_is_wrong(const Request& request) {
    const NodePlan* plan = truth().profile.find(request.planned);
    const auto rendered = truth().configs.nodes.find(request.planned);
    if (plan == nullptr || rendered == truth().configs.nodes.end())
      return "none was rendered for it";
    if (request.payload != rendered->second.digest) return "it is not the one rendered for it";
    // Without any intent it is the order that is wrong, which is another invariant's business.
    const Digest& intended = *intended_.find(request.planned);
    if (!intended.empty() && request.payload != intended) return "the journal names other bytes";
    if (rendered->second.role != plan->role) return "it is of the other role";
    if (secrets_.empty()) return "the secrets were not fixed before";
    return secrets_ == truth().configs.secrets_fingerprint ? ""
                                                           : "the secrets are not the fixed ones";
  }

  PerNode<Digest> intended_;
  Digest secrets_;
};

template std::unique_ptr<Checker> make_checker<RightBytes>(const Truth& truth);

}  // namespace ichor::sim
