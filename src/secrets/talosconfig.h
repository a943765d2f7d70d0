#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "secrets/certificate.h"

namespace ichor::pki {

/// One cluster of a talosconfig: where it is and who we are there.
struct TalosContext {
  std::string name;
  std::vector<std::string> endpoints;
  std::vector<std::string> nodes;
  std::string ca;            // PEM
  CertificateAndKey client;  // PEM
};

/// The client configuration of talosctl. ichor names the context it means and never relies on the
/// current one.
struct Talosconfig {
  std::string current;
  std::vector<TalosContext> contexts;

  const TalosContext* find(std::string_view name) const;
};

/// Reads a talosconfig. Contexts without certificates (Omni's) are kept with empty ones; a client
/// key that does not belong to its certificate is an error. The error names the place, never a
/// value.
Result<Talosconfig> read_talosconfig(std::string_view text, const std::string& file_name);

/// In the form and order of talosctl.
SecretString write_talosconfig(const Talosconfig& config);

/// A talosconfig with one context: endpoints are the control planes, nodes are all.
Result<Talosconfig> make_talosconfig(const std::string& cluster_name,
                                     const CertificateAndKey& os_ca,
                                     std::vector<std::string> endpoints,
                                     std::vector<std::string> nodes, WallTime now,
                                     const std::vector<std::string>& roles = {"os:admin"},
                                     Duration lifetime = std::chrono::hours(8760));

}  // namespace ichor::pki
