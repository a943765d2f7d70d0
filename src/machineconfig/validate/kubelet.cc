#include "machineconfig/validate/kubernetes.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

void check_kubelet(const Subject& subject, Report& report) {
  const View kubelet = subject.machine()["kubelet"];
  check_node_subnets(kubelet["nodeIP"]["validSubnets"], report);
  check_kubelet_settings(kubelet["extraConfig"], report);
}

}  // namespace ichor::validate
