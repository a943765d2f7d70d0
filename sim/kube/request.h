#pragma once

#include <cstdint>
#include <string>

#include "port/kube_client.h"
#include "port/process.h"

namespace ichor::sim {

/// A write to the Kubernetes API, or a program that installs a release, as it leaves ichor.
struct KubeRequest {
  int process{0};
  Call call{Call::kube_apply};
  KubeRef ref;                        // of an install: the release
  const KubeObject* object{nullptr};  // that is applied or approved
  KubeApply options{};
  const ProcessCall* program{nullptr};
  std::uint64_t number{0};  // counts all of a seed

  bool changes_something() const { return !options.dry_run; }
};

/// helm is about to write a revision of a release.
struct ReleaseInstall {
  int process{0};  // whose; zero: not of ichor
  std::string release;
  bool beside_another{false};  // of the same release, which still writes
};

}  // namespace ichor::sim
