#include "machineconfig/api_server_defaults.h"

#include "yaml/build.h"

namespace ichor {

yaml::Node pod_security_defaults() {
  const auto none = [] { return yaml::list(std::vector<yaml::Node>{}); };
  yaml::Map defaults = yaml::map()
                           .set("audit", "restricted")
                           .set("audit-version", "latest")
                           .set("enforce", "baseline")
                           .set("enforce-version", "latest")
                           .set("warn", "restricted")
                           .set("warn-version", "latest");
  yaml::Map exemptions = yaml::map()
                             .set("namespaces", yaml::list({std::string("kube-system")}))
                             .set("runtimeClasses", none())
                             .set("usernames", none());
  return yaml::map()
      .set("apiVersion", "pod-security.admission.config.k8s.io/v1alpha1")
      .set("defaults", std::move(defaults))
      .set("exemptions", std::move(exemptions))
      .set("kind", "PodSecurityConfiguration");
}

yaml::Node default_audit_policy() {
  const yaml::Node rule = yaml::map().set("level", "Metadata");
  return yaml::map()
      .set("apiVersion", "audit.k8s.io/v1")
      .set("kind", "Policy")
      .set("rules", yaml::list({rule}));
}

}  // namespace ichor
