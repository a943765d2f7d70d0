#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"

namespace ichor::sim {

namespace {

/// A handshake that breaks in the middle, as under load or corruption: it says nothing about who is
/// at the other end.
class TlsError final : public Fault {
 public:
  using Fault::Fault;
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call != Call::open || !random().chance(0.2)) return;
    passage.tls = CallError{Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
                            "authentication handshake failed: EOF"};
    fire();
  }
};

}  // namespace

std::unique_ptr<Fault> make_tls_error(SeededRandom random) {
  return std::make_unique<TlsError>(random);
}

}  // namespace ichor::sim
