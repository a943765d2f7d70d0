#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"

namespace ichor::sim {

namespace {

/// The node answers with an error that is gone the next time.
class TransientCode final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call == Call::open || !random().chance(0.05)) return;
    static const Refusal answers[] = {
        {Code::unavailable, "error reading from server: EOF"},
        {Code::internal, "stream terminated by RST_STREAM with error code: INTERNAL_ERROR"},
        {Code::resource_exhausted, "grpc: received message larger than max"},
        {Code::aborted, "the operation was aborted"},
        {Code::unknown, "failed to query etcd status: context deadline exceeded"},
    };
    passage.answer = answers[random().below(std::size(answers))];
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_transient_code(SeededRandom random) {
  return std::make_unique<TransientCode>(random);
}

}  // namespace ichor::sim
