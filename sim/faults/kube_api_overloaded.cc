#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// The API server answers half of the calls with errors that pass.
class ApiOverloaded final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void pass(const KubeRequest&, KubePassage& passage) override {
    static const Refusal answers[] = {
        {Code::resource_exhausted, "too many requests, please try again later"},
        {Code::unavailable, "etcdserver: request timed out"},
        {Code::internal, "etcdserver: leader changed"},
    };
    if (random().chance(0.5)) passage.answer = answers[random().below(std::size(answers))];
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_api_overloaded(SeededRandom random) {
  return std::make_unique<ApiOverloaded>(random);
}

}  // namespace ichor::sim
