#pragma once

#include <map>
#include <string>

#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "base/secret.h"
#include "phase/kubernetes/kube_world.h"
#include "phase/kubernetes/material.h"

namespace ichor {

/// op://VAULT/ITEM/FIELD, or with a section before the field.
struct SecretReference {
  std::string vault, item, section, field;
};
Result<SecretReference> parse_reference(const std::string& text);

/// The values behind references, by the key that they are for; by `op` or by 1Password Connect, as
/// the plan says. The error says what is missing and what to do, never a value.
Task<Result<std::map<std::string, SecretString>>> read_onepassword(
    Context context, KubeWorld& world, const KubernetesMaterial& material,
    std::map<std::string, std::string> references);

}  // namespace ichor
