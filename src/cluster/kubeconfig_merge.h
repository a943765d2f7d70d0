#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "port/local_ports.h"

namespace ichor {

/// The kubeconfig that kubectl would write to: of the files in KUBECONFIG the first that is there,
/// else the last one; without it ~/.kube/config. Empty if neither is set.
std::string default_kubeconfig(LocalPorts& local);

enum class OnConflict { refuse, replace };

struct MergeOptions {
  std::string context;  // the name that the context gets: the cluster's
  OnConflict on_conflict{OnConflict::refuse};
  bool use_context{false};  // the context becomes the current one, whichever was before
};

/// `present` with the cluster, the user and the context of `added`, which becomes the current one
/// only if there was none or the options say so. Entries of the same name are replaced if they are
/// of the same cluster, recognized by its CA; others are a conflict: Errc::invalid, or replaced.
/// All other content stays, but for comments. `file` names `present` in errors; those never show a
/// value.
Result<SecretString> merge_kubeconfig(const std::optional<SecretString>& present,
                                      const std::string& file, const SecretString& added,
                                      const MergeOptions& options);

}  // namespace ichor
