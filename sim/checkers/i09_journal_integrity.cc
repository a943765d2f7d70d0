#include <cstring>
#include <fmt/format.h>
#include <vector>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "sim/kube/request.h"

namespace ichor::sim {

namespace {

/// Over every field, in words of our own: the product's chain would hide its own mistakes.
std::uint64_t fingerprint_of(const JournalRecord& record, std::uint64_t before) {
  std::uint64_t hash = before;
  const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3ull; };
  const auto add_text = [&add](std::string_view text) {
    add(text.size());
    for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof word);
      add(word);
    }
    for (const char c : text) add(static_cast<unsigned char>(c));
  };
  add(record.seq);
  add(static_cast<std::uint64_t>(record.kind));
  add(static_cast<std::uint64_t>(record.call));
  add(record.ref);
  add(static_cast<std::uint64_t>(record.outcome));
  add(static_cast<std::uint64_t>(record.wall_ms));
  add_text(record.run.value());
  add_text(record.node.value());
  add_text(record.key);
  add_text(record.value);
  return hash;
}

}  // namespace

class JournalIntegrity final : public Checker {
 public:
  explicit JournalIntegrity(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I9"; }
  std::string_view promise() const override {
    return "what is durable stays as it is, and a run that finds it damaged stops before it acts";
  }

  void on_durable(const JournalRecord& record) override {
    const std::uint64_t before = chain_.empty() ? 0 : chain_.back();
    chain_.push_back(fingerprint_of(record, before));
  }

  void on_process_started(int process) override {
    met_damage_[process] = damaged_;
    replay();
  }
  void on_journal_damaged(bool damaged) override { damaged_ = damaged; }

  void see_request(const Request& request) override {
    if (!met_damage_[request.process]) return;
    violated(fmt::format("{} left for {} from a run that found a damaged journal",
                         name_of(request.call), request.planned.value()));
  }

  void on_kube_request(const KubeRequest& request) override {
    if (!request.changes_something() || !met_damage_[request.process]) return;
    violated(fmt::format("{} left from a run that found a damaged journal", name_of(request.call)));
  }

  void on_process_ended(int process, const RunResult& result) override {
    replay();
    if (!met_damage_[process] || result.exit == Exit::unsafe) return;
    // A run that another one's lock refused has not read the journal.
    if (result.exit == Exit::interrupted) return;
    violated(fmt::format("run {} found a damaged journal and ended with {}", process,
                         static_cast<int>(result.exit)));
  }

  void at_end() override { replay(); }

 private:
  void replay() {
    const std::vector<JournalRecord>& journal = truth().journal;
    if (journal.size() < chain_.size()) {
      violated(fmt::format("{} of {} durable records are gone", chain_.size() - journal.size(),
                           chain_.size()));
      return;
    }
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      hash = fingerprint_of(journal[i], hash);
      if (hash == chain_[i]) continue;
      violated(fmt::format("record {} is not what it was when it became durable", i + 1));
      return;
    }
  }

  std::vector<std::uint64_t> chain_;
  PerProcess<char> met_damage_;
  bool damaged_{false};
};

template std::unique_ptr<Checker> make_checker<JournalIntegrity>(const Truth& truth);

}  // namespace ichor::sim
