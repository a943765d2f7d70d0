#include "lint/c4_host_dns.h"

#include <algorithm>
#include <fmt/format.h>

#include "lint/settings.h"
#include "model/reporter.h"

namespace ichor {

namespace {

constexpr std::string_view kAddress = "169.254.116.108/32";

bool has_text(const yaml::Node* list, std::string_view text) {
  return list != nullptr &&
         std::any_of(list->items.begin(), list->items.end(), [&](const yaml::Node& item) {
           const yaml::Node* address = item.find("address");
           return (address != nullptr ? address->text : item.text) == text;
         });
}

/// Whether the loopback link has the resolver's address, by machine.network or by a document.
bool loopback_has_address(const NodeSettings& settings) {
  for (const Setting& interfaces : settings.all({"machine", "network", "interfaces"})) {
    for (const yaml::Node& link : interfaces.value->items) {
      const yaml::Node* name = link.find("interface");
      if (name != nullptr && name->text == "lo" && has_text(link.find("addresses"), kAddress)) {
        return true;
      }
    }
  }
  for (const Setting& link : settings.documents("LinkConfig")) {
    const yaml::Node* name = link.value->find("name");
    if (name != nullptr && name->text == "lo" &&
        has_text(link.value->find("addresses"), kAddress)) {
      return true;
    }
  }
  return false;
}

/// Without this document Talos 1.14 installs no CNI.
bool deletes_flannel(const NodeSettings& settings) {
  const std::vector<Setting> documents = settings.documents("KubeFlannelCNIConfig");
  return !documents.empty() && documents.back().value->find("$patch") != nullptr;
}

}  // namespace

void lint_host_dns(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  const bool typed = has_typed_documents(input.profile);
  for (const NodePlan& node : input.profile.nodes) {
    const NodeSettings settings(input, node);
    const Setting cni = settings.last({"cluster", "network", "cni", "name"});
    const bool own_cni =
        cni ? cni.value->text == "none" : input.profile.talos.cni_none || deletes_flannel(settings);
    if (!own_cni) continue;
    // Talos' own configs forward since 1.8, so only a patch can switch it off.
    const Setting forward =
        settings.last({"machine", "features", "hostDNS", "forwardKubeDNSToHost"});
    if (forward && !forward.value->as_bool().value_or(true)) continue;
    if (loopback_has_address(settings)) continue;
    report.warning(
        "dns.forward", forward ? forward.where() : input.source.where("talos.cni"),
        fmt::format("cluster DNS is forwarded to the host, but {} is not an address of `lo`: with "
                    "Cilium's eBPF host routing CoreDNS does not reach it",
                    kAddress),
        typed
            ? fmt::format("add a LinkConfig of the name lo with the address {} in a patch, or set "
                          "hostDNS.forwardKubeDNSToHost of a ResolverConfig to false",
                          kAddress)
            : fmt::format("add the interface `lo` with the address {} in a patch, or set "
                          "machine.features.hostDNS.forwardKubeDNSToHost to false",
                          kAddress));
  }
}

}  // namespace ichor
