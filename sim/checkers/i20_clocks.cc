#include <fmt/format.h>

#include "sim/checkers/make.h"

namespace ichor::sim {

/// Records also carry the wall clock, which may jump by years; nothing here looks at it.
class JournalOrder final : public Checker {
 public:
  explicit JournalOrder(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I20"; }
  std::string_view promise() const override {
    return "the journal is ordered by gapless sequence numbers, whatever the wall clock does";
  }

  void on_durable(const JournalRecord& record) override {
    if (record.seq != last_ + 1) {
      violated(fmt::format("record {} follows record {}", record.seq, last_));
    } else if (record.ref >= record.seq) {
      violated(
          fmt::format("record {} refers to {}, which is not before it", record.seq, record.ref));
    }
    last_ = record.seq;
    const MonoTime now = truth().clock.now();
    if (now < latest_) violated("the monotonic clock went back");
    latest_ = now;
  }

  void at_end() override {
    std::uint64_t expected = 0;
    for (const JournalRecord& record : truth().journal) {
      if (record.seq == ++expected) continue;
      violated(fmt::format("place {} of the journal holds record {}", expected, record.seq));
      return;
    }
  }

 private:
  std::uint64_t last_{0};
  MonoTime latest_{MonoTime::min()};
};

template std::unique_ptr<Checker> make_checker<JournalOrder>(const Truth& truth);

}  // namespace ichor::sim
