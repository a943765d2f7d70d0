#include "phase/kubernetes/core_secrets.h"

#include <fmt/format.h>

#include "phase/kubernetes/gate_table.h"
#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

/// Every key that an item makes.
std::vector<std::string> keys_of(const KubernetesPlan::SecretItem& item) {
  std::vector<std::string> keys;
  if (!item.age_key.empty()) keys.push_back(item.age_key);
  for (const auto& [key, file] : item.files) keys.push_back(key);
  for (const auto& [key, place] : item.onepassword) keys.push_back(key);
  return keys;
}

/// The command that makes a Secret by hand, with its values left open.
std::string by_hand(const KubernetesPlan::SecretItem& item) {
  std::string command =
      fmt::format("kubectl --namespace {} create secret generic {}", item.name_space, item.name);
  for (const std::string& key : keys_of(item)) {
    command += fmt::format(" --from-file={}=FILE", key);
  }
  return command;
}

/// Why a Secret is not as phase 0 makes it; empty if it is.
std::string trouble_with(const KubernetesPlan::SecretItem& item, const KubeObject& secret) {
  for (const std::string& key : keys_of(item)) {
    if (text_at(secret, {"data", key}).empty()) {
      return fmt::format("it has no value for {}", key);
    }
  }
  return {};
}

/// Whether the cluster has no key pair that we do not know.
bool is_free_for(Course& course, const KubeRef& fresh) {
  const KubeObject* there = course.object(fresh);
  if (!there) return false;
  if (there->is_null()) return true;
  course.stop(
      {to_text(fresh), "the cluster has a key pair that the state folder does not know",
       "continue with the state folder that made it, or take sealed_secrets out of the profile",
       "K5", true});
  return false;
}

}  // namespace

bool finds_bootstrap_secrets(Course& course) {
  bool all = true;
  for (const KubernetesPlan::SecretItem& item : course.plan().secrets) {
    const KubeRef ref{{"", "v1", "Secret"}, item.name_space, item.name};
    const KubeObject* there = course.object(ref);
    if (!there) all = false;
    if (!there) continue;
    const std::string trouble =
        there->is_null() ? "it is not in the cluster" : trouble_with(item, *there);
    if (trouble.empty()) continue;
    all = false;
    const char* who = item.onepassword.empty() ? "" : ", and what reads 1Password waits for it";
    course.stop({to_text(ref), trouble + who,
                 fmt::format("run phase 0, which makes it: `ichor phase 0`; or by hand: `{}`",
                             by_hand(item)),
                 "K4", true});
  }
  return all;
}

bool sends_sealed_key(Course& course) {
  const KubernetesMaterial& material = course.wanted().material;
  if (material.sealed_keys.empty()) return true;
  if (!course.passes("nodes", node_names(course.wanted().profile), Course::Window::now)) {
    return false;
  }
  std::vector<const KubeObject*> keys;
  for (const KubeObject& key : material.sealed_keys) keys.push_back(&key);
  if (!material.fresh_key) return course.ensures(keys);
  if (!is_free_for(course, *material.fresh_key)) return false;
  const ApplyObject::Keep keep{material.fresh_key_file, material.fresh_key_sealed};
  return course.ensures(keys, &keep);
}

}  // namespace ichor
