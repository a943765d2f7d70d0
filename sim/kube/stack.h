#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "phase/kubernetes/material.h"
#include "sim/kube/stack_plan.h"

namespace ichor::sim {

/// The GitOps repository and the charts of a seed's cluster: what ichor reads before its phases,
/// and what helm makes of a release.
struct KubeStack {
  struct Chart {
    std::string release;
    std::string name_space;
    std::vector<KubeObject> objects;
  };
  StackPlan plan;
  KubernetesMaterial material;        // without kubeconfig and sealed key
  std::vector<Chart> charts;          // by release
  std::vector<WantedRelease> wanted;  // all releases, whoever installs them
  std::string crds_text;              // what `helm template` says of the chart of CRDs
  std::vector<std::string> crds;      // names of all that phase 1 wants
  std::string helmfile_text;          // what `helmfile build` says
  std::string onepassword_value;

  const Chart* find(std::string_view release) const;
  const WantedRelease* wants(std::string_view release) const;
};

KubeStack make_stack(const StackPlan& plan);

/// The sealed-secrets key pair that run `number` would make, and the file that keeps it.
KubeObject sealed_key(int number);
inline constexpr std::string_view kSealedFile = "sealed-secrets.sops.yaml";

}  // namespace ichor::sim
