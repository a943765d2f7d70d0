#include <algorithm>

#include "sim/faults/catalogue.h"
#include "sim/faults/kube_windows.h"

namespace ichor::sim {

namespace {

/// A client asks for serving certificates in the name of nodes: names, addresses, groups or senders
/// that are not theirs.
class CsrForeign final : public KubeWindowFault {
 public:
  using KubeWindowFault::KubeWindowFault;

 private:
  void begin(SimWorld& world) override {
    ApiServer& api = world.kube()->api();
    const std::string number = std::to_string(fired());
    for (const char* what : {"another name", "another address", "another node", "another group"}) {
      std::string name = std::string("forged-") + what + number;
      std::replace(name.begin(), name.end(), ' ', '-');
      api.put(csr_of(name, "cp1", kubelet_request(what)), "outsider");
    }
    api.put(csr_of("forged-stranger" + number, "mallory", kubelet_request("cp1")), "outsider");
    KubeObject sender = csr_of("forged-sender" + number, "cp1", kubelet_request("cp1"));
    sender["spec"]["groups"] = {"system:authenticated"};
    api.put(sender, "outsider");
    KubeObject usage = csr_of("forged-usage" + number, "cp1", kubelet_request("cp1"));
    usage["spec"]["usages"].push_back("client auth");
    api.put(usage, "outsider");
  }
};

}  // namespace

std::unique_ptr<Fault> make_kube_csr_foreign(SeededRandom random) {
  return std::make_unique<CsrForeign>(random);
}

}  // namespace ichor::sim
