#include "lint/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <tuple>
#include <utility>

#include "base/redact.h"
#include "lint/c1_network.h"
#include "lint/c2_boot.h"
#include "lint/c3_feature_gates.h"
#include "lint/c4_host_dns.h"
#include "lint/c5_logging.h"
#include "lint/c6_versions.h"
#include "lint/c7_proxmox.h"
#include "lint/c8_control_plane_only.h"
#include "lint/c9_patches.h"
#include "lint/reasons.h"
#include "lint/v1_unchecked.h"

namespace ichor {

namespace {

constexpr std::array kRules = {
    LintRule{"C1", "network", "the addresses of the profile fit together",
             "a node with the wrong address cannot be reached to be corrected", lint_network},
    LintRule{"C2", "boot", "kernel arguments are where the boot loader takes them from",
             "a unified kernel image carries its own command line, and Talos refuses a config that "
             "wants another one",
             lint_boot},
    LintRule{"C3", "gates", "feature gates are the same on kubelets and API servers",
             "a field that only one of them knows is dropped or refused by the other",
             lint_feature_gates},
    LintRule{"C4", "dns", "cluster DNS reaches the nodes' resolver past eBPF host routing",
             "eBPF host routing goes past the rules that lead to the resolver, and CoreDNS times "
             "out",
             lint_host_dns},
    LintRule{"C5", "logging", "logs go to places that exist",
             "Talos drops logs that it cannot send, without a message", lint_logging},
    LintRule{"C6", "versions", "the versions fit together",
             "Talos refuses versions of Kubernetes that it was not tested with", lint_versions},
    LintRule{"C7", "proxmox", "the virtual machines are made as Talos needs them",
             "the machine does not boot, loses its disk, or loses memory under load", lint_proxmox},
    LintRule{"C8", "scheduling", "a cluster without workers can run something",
             "pods wait for ever, or take from etcd what it needs", lint_control_plane_only},
    LintRule{
        "C9", "patch", "patches say something that Talos knows",
        "a patch with an unknown key is refused as a whole, and one that changes secrets locks "
        "everybody out",
        lint_patches},
    LintRule{"V1", "unchecked", "there is no mistake that talosctl validate accepts",
             "the config is accepted and the node then does not do what it says", lint_unchecked},
};

/// File, line and column of "file:line:column"; zeros where there are none.
std::tuple<std::string_view, int, int> place_of(std::string_view where) {
  const std::size_t last = where.rfind(':');
  const std::size_t before =
      last == std::string_view::npos || last == 0 ? last : where.rfind(':', last - 1);
  if (last == std::string_view::npos || before == std::string_view::npos) return {where, 0, 0};
  const auto number = [&](std::size_t from) {
    int value = 0;
    std::from_chars(where.data() + from, where.data() + where.size(), value);
    return value;
  };
  return {where.substr(0, before), number(before + 1), number(last + 1)};
}

}  // namespace

std::string LintRule::page() const { return fmt::format("docs/lint/{}.md", id); }

std::span<const LintRule> lint_rules() { return kRules; }

const LintRule* rule_of(std::string_view finding_id) {
  const std::string_view prefix = finding_id.substr(0, finding_id.find('.'));
  const auto found = std::find_if(kRules.begin(), kRules.end(),
                                  [&](const LintRule& rule) { return rule.prefix == prefix; });
  return found == kRules.end() ? nullptr : &*found;
}

void settle(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const LintRule* rule = rule_of(finding.id);
    if (finding.why.empty()) finding.why = reason_of(finding.id);
    finding.what = redact_urls(std::move(finding.what));
    finding.fix = redact_urls(std::move(finding.fix));
    if (finding.page.empty())
      finding.page = rule != nullptr ? rule->page() : "docs/lint/profile.md";
  }
  // At one place errors come first.
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(place_of(a.where), -static_cast<int>(a.severity), std::tie(a.id, a.what),
                      a.node.value()) < std::tuple(place_of(b.where), -static_cast<int>(b.severity),
                                                   std::tie(b.id, b.what), b.node.value());
  });
  // A patch for all nodes is looked at once for each of them, and says the same each time.
  const auto same = [](const Finding& a, const Finding& b) {
    return a.id == b.id && a.where == b.where && a.what == b.what && a.node == b.node;
  };
  findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
}

std::vector<Finding> lint(const LintInput& input) {
  std::vector<Finding> findings;
  for (const LintRule& rule : kRules) rule.run(input, findings);
  settle(findings);
  return findings;
}

}  // namespace ichor
