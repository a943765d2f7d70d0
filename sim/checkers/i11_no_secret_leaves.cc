#include <fmt/format.h>

#include "sim/canaries.h"
#include "sim/checkers/make.h"

namespace ichor::sim {

namespace {

/// The files whose purpose is to hold credentials.
bool is_credential(std::string_view file) {
  return file == "kubeconfig" || file == "talosconfig" || file == "kubeconfig.tools";
}

}  // namespace

class NoSecretLeaves final : public Checker {
 public:
  explicit NoSecretLeaves(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I11"; }
  std::string_view promise() const override {
    return "no secret, in any encoding, is in an event, the journal, a finding or a file that is "
           "no credential";
  }

  bool hears() const override { return true; }
  void on_event(int process, const Event& event) override {
    look(event.text, [&] { return fmt::format("an event of run {}", process); });
  }

  void on_durable(const JournalRecord& record) override {
    const auto where = [&] { return fmt::format("record {}", record.seq); };
    look(record.key, where);
    look(record.value, where);
  }

  void on_written(const Written& written) override {
    if (is_credential(written.name)) return;
    look(written.content, [&] { return fmt::format("the file {}", written.name); });
  }

  void on_process_ended(int process, const RunResult& result) override {
    look(result.verdict, [&] { return fmt::format("the verdict of run {}", process); });
    for (const Finding& finding : result.findings) {
      for (const std::string* text : {&finding.where, &finding.what, &finding.fix, &finding.why}) {
        look(*text, [&] { return fmt::format("a finding of run {}", process); });
      }
    }
    for (const NodeResult& node : result.nodes) {
      look(node.reason, [&] { return fmt::format("the result of {}", node.node.value()); });
    }
  }

 private:
  template <class Where>
  void look(std::string_view text, const Where& where) {
    const std::string_view canary = canary_in(text);
    if (!canary.empty()) violated(fmt::format("{} gives away {}", where(), canary));
  }
};

template std::unique_ptr<Checker> make_checker<NoSecretLeaves>(const Truth& truth);

}  // namespace ichor::sim
