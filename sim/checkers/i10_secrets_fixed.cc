#include <fmt/format.h>

#include "sim/checkers/make.h"

namespace ichor::sim {

class SecretsFixed final : public Checker {
 public:
  explicit SecretsFixed(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I10"; }
  std::string_view promise() const override {
    return "once a byte of them was sent, the cluster's secrets never change";
  }

  void on_durable(const JournalRecord& record) override {
    if (record.kind != RecordKind::secrets_fixed) return;
    const Digest told = digest_from_hex(record.value);
    if (!fixed_.empty() && told != fixed_) {
      violated(fmt::format("record {} fixes other secrets than before", record.seq));
    }
    fixed_ = told;
  }

  void see_request(const Request& request) override {
    const Digest& present = truth().configs.secrets_fingerprint;
    if (sent_.empty()) sent_ = present;
    if (present == sent_) return;
    violated(fmt::format("{} left for {} under other secrets than those sent before",
                         name_of(request.call), request.planned.value()));
  }

 private:
  Digest fixed_;  // by the journal
  Digest sent_;   // by the first mutation
};

template std::unique_ptr<Checker> make_checker<SecretsFixed>(const Truth& truth);

}  // namespace ichor::sim
