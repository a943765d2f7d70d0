#pragma once

#include <optional>
#include <string>

#include "model/or_end.h"
#include "model/run_options.h"
#include "port/host.h"
#include "secrets/talosconfig.h"

namespace ichor {

struct IdentityOptions {
  AccessOptions access;
  std::string cluster;
  std::string ca;            // of the cluster's secrets; empty: there are none
  bool may_be_guest{false};  // without secrets the environment may say who we are
};

/// Who the operator says that we are to configured nodes: a context of the talosconfig that
/// --talosconfig or --context ask for. Nothing if they ask for none: then a certificate is made of
/// the cluster's secrets.
///
/// The environment never takes the place of the secrets: a TALOSCONFIG that some shell exported
/// long ago would change who we are without a word. It names the file for --context, and where
/// there are no secrets and guests are welcome, its context of the cluster's name is taken.
///
/// Ends with exit 64 if there is no such file or context, or nothing that proves us in it, and
/// with 5 if its CA is not the one of the secrets.
OrEnd<std::optional<pki::TalosContext>> find_identity(const IdentityOptions& options, Host& host);

}  // namespace ichor
