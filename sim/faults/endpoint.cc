#include "sim/faults/catalogue.h"
#include "sim/faults/fault.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

/// The way to the Kubernetes endpoint fails in half of the attempts: its address moves between
/// nodes, or its name cannot be resolved. Talos' own API is at the nodes' addresses and not
/// touched.
class Endpoint final : public Fault {
 public:
  Endpoint(SeededRandom random, std::string_view text) : Fault(random), text_(text) {}
  void on_passage(SimWorld&, Passage& passage) override {
    if (passage.call != Call::kube_ready || !random().chance(0.5)) return;
    passage.tls = CallError{Call::kube_ready, Progress::not_sent, TlsVerdict::fine,
                            Code::unavailable, std::string(text_)};
    fire();
  }

 private:
  std::string_view text_;
};

}  // namespace

std::unique_ptr<Fault> make_vip_moves(SeededRandom random) {
  return std::make_unique<Endpoint>(random, "connect: no route to host");
}
std::unique_ptr<Fault> make_endpoint_name(SeededRandom random) {
  return std::make_unique<Endpoint>(random, "lookup of the endpoint: no such host");
}

}  // namespace ichor::sim
