#include "phase/kubernetes/csr.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "secrets/base64.h"
#include "secrets/certificate_request.h"

namespace ichor {

namespace {

constexpr std::string_view kSigner = "kubernetes.io/kubelet-serving";
constexpr std::string_view kUser = "system:node:";
constexpr std::string_view kGroup = "system:nodes";

bool has_text(const KubeObject& list, std::string_view wanted) {
  return list.is_array() && std::any_of(list.begin(), list.end(), [&](const KubeObject& item) {
           return item.is_string() && item.get<std::string>() == wanted;
         });
}

std::string trouble_with_usages(const KubeObject& usages) {
  constexpr std::array<std::string_view, 3> allowed{"digital signature", "key encipherment",
                                                    "server auth"};
  if (!has_text(usages, "server auth")) return "it does not ask for server auth";
  for (const KubeObject& usage : usages) {
    const std::string text = usage.is_string() ? usage.get<std::string>() : "";
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
      return fmt::format("it asks for the usage \"{}\"", text);
    }
  }
  return {};
}

/// The name of the node, or its name in the cluster's domain.
bool is_name_of(const std::string& name, const NodePlan& node) {
  return name == node.name.value() || name.starts_with(node.name.value() + ".");
}

std::string trouble_with_names(const pki::RequestFacts& facts, const NodePlan& node) {
  if (facts.other_names > 0) return "it asks for e-mail addresses or URIs";
  if (facts.dns_names.empty() && facts.ip_addresses.empty()) return "it asks for no name at all";
  for (const std::string& name : facts.dns_names) {
    if (!is_name_of(name, node)) return fmt::format("it asks for the name {}", name);
  }
  for (const std::string& address : facts.ip_addresses) {
    if (address != node.address.value()) return fmt::format("it asks for the address {}", address);
  }
  return {};
}

std::string trouble_with(const KubeObject& csr, const std::string& user, const NodePlan& node) {
  if (!has_text(at(csr, {"spec", "groups"}), kGroup)) {
    return "its sender is not in the group system:nodes";
  }
  std::string trouble = trouble_with_usages(at(csr, {"spec", "usages"}));
  if (!trouble.empty()) return trouble;
  const auto pem = pki::from_base64(text_at(csr, {"spec", "request"}));
  if (!pem) return "its request is not base64";
  const auto facts = pki::inspect_request(*pem);
  if (!facts) return facts.error().message;
  if (facts->common_name != user) {
    return fmt::format("{} asks for a certificate of {}", user, facts->common_name);
  }
  if (facts->organizations != std::vector<std::string>{std::string(kGroup)}) {
    return "its subject is not of the organization system:nodes only";
  }
  return trouble_with_names(*facts, node);
}

}  // namespace

CsrVerdict judge_csr(const KubeObject& csr, const ClusterProfile& profile) {
  if (text_at(csr, {"spec", "signerName"}) != kSigner) return {};
  if (!condition(csr, "Approved").is_null() || !condition(csr, "Denied").is_null()) return {};
  CsrVerdict verdict;
  verdict.kind = CsrVerdict::Kind::refuse;
  const std::string user = text_at(csr, {"spec", "username"});
  if (!user.starts_with(kUser)) {
    verdict.reason = fmt::format("its sender {} is not a node", user.empty() ? "?" : user);
    return verdict;
  }
  verdict.node = user.substr(kUser.size());
  const NodePlan* node = profile.find(NodeName(verdict.node));
  if (!node) {
    verdict.reason = fmt::format("the profile has no node {}", verdict.node);
    return verdict;
  }
  verdict.reason = trouble_with(csr, user, *node);
  if (!verdict.reason.empty()) return verdict;
  verdict.kind = CsrVerdict::Kind::approve;
  verdict.reason = fmt::format("node {} with its own name and address", verdict.node);
  return verdict;
}

Unmet refused_csr(const KubeObject& csr, const CsrVerdict& verdict) {
  return {to_text(ref_of(csr)), "it is not approved: " + verdict.reason,
          fmt::format("if that is right, correct the profile; else `kubectl certificate deny {}`",
                      name_in(csr)),
          "K2", false};
}

}  // namespace ichor
