#include "machineconfig/api_server_defaults.h"

#include "base/check.h"
#include "yaml/document.h"

namespace ichor {

namespace {

yaml::Node parsed(std::string_view text) {
  auto documents = yaml::parse(text, "defaults");
  check(documents.has_value(), text);
  return std::move(documents->front().root);
}

}  // namespace

yaml::Node pod_security_defaults() {
  return parsed(R"(apiVersion: pod-security.admission.config.k8s.io/v1alpha1
defaults:
  audit: restricted
  audit-version: latest
  enforce: baseline
  enforce-version: latest
  warn: restricted
  warn-version: latest
exemptions: {namespaces: [kube-system], runtimeClasses: [], usernames: []}
kind: PodSecurityConfiguration
)");
}

yaml::Node default_audit_policy() {
  return parsed("{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}");
}

}  // namespace ichor
