#include "phase/kubernetes/secrets_phase.h"

#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

std::vector<const KubeObject*> pointers_to(const std::vector<KubeObject>& objects) {
  std::vector<const KubeObject*> pointers;
  for (const KubeObject& object : objects) pointers.push_back(&object);
  return pointers;
}

/// Adds the Secrets whose values are in 1Password; false while one of them is not there.
bool add_onepassword(Course& course, std::vector<const KubeObject*>& secrets) {
  bool all = true;
  for (const KubernetesPlan::SecretItem& item : course.plan().secrets) {
    if (item.onepassword.empty()) continue;
    const KubeObject* secret = course.secret(item);
    if (secret) secrets.push_back(secret);
    if (!secret) all = false;
  }
  return all;
}

}  // namespace

void SecretsPhase::follow(Course& course) const {
  const KubernetesMaterial& material = course.wanted().material;
  std::vector<const KubeObject*> secrets = pointers_to(material.secrets);
  if (!add_onepassword(course, secrets)) return;
  if (!course.ensures(pointers_to(material.namespaces))) return;
  if (!material.namespaces.empty()) {
    std::vector<std::string> names;
    for (const KubeObject& one : material.namespaces) names.push_back(name_in(one));
    if (!course.passes("namespaces", std::move(names))) return;
  }
  course.ensures(secrets);
}

}  // namespace ichor
