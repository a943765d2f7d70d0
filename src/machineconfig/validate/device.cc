#include "machineconfig/validate/device.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/nearest_name.h"
#include "machineconfig/validate/address.h"

namespace ichor::validate {

namespace {

/// What a key of a bond may say, besides nothing.
struct Words {
  const char* key;
  std::vector<std::string_view> words;
};

const std::vector<Words>& bond_words() {
  static const std::vector<Words> list = {
      {"mode",
       {"balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb",
        "balance-alb"}},
      {"xmitHashPolicy", {"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"}},
      {"lacpRate", {"slow", "fast"}},
      {"arpValidate",
       {"none", "active", "backup", "all", "filter", "filter-active", "filter-backup"}},
      {"arpAllTargets", {"any", "all"}},
      {"primaryReselect", {"always", "better", "failure"}},
      {"failOverMac", {"none", "active", "follow"}},
      {"adSelect", {"stable", "bandwidth", "count"}},
  };
  return list;
}

void check_words(const View& bond, Report& report) {
  for (const Words& known : bond_words()) {
    const View value = bond[known.key];
    const auto& words = known.words;
    if (value.empty() || std::find(words.begin(), words.end(), value.text()) != words.end()) {
      continue;
    }
    report.error(value, fmt::format("{} of a bond cannot be `{}`", known.key, value.text()),
                 name_hint(value.text(), words));
  }
}

void check_delays(const View& bond, Report& report) {
  const std::int64_t miimon = bond["miimon"].number();
  for (const char* const key : {"updelay", "downdelay"}) {
    const std::int64_t delay = bond[key].number();
    if (miimon == 0 && delay != 0) {
      report.error(bond[key], fmt::format("{} of a bond needs miimon", key), "add miimon");
    } else if (miimon != 0 && delay % miimon != 0) {
      report.error(bond[key], fmt::format("{} of a bond must be a multiple of miimon", key),
                   fmt::format("choose a multiple of {}", miimon));
    }
  }
}

/// A key of a bond that only some modes know.
struct ModeRule {
  const char* key;
  std::vector<std::string_view> modes;
  std::int64_t above{0};  // numbers up to this are harmless
};

const std::vector<ModeRule>& mode_rules() {
  static const std::vector<std::string_view> adaptive = {"balance-alb", "balance-tlb"};
  static const std::vector<std::string_view> watched = {"balance-rr", "active-backup",
                                                        "balance-xor", "broadcast"};
  static const std::vector<ModeRule> list = {
      {"lacpRate", {"802.3ad"}},
      {"arpValidate", watched},
      {"primary", {"active-backup", "balance-alb", "balance-tlb"}},
      {"arpInterval", watched},
      {"packetsPerSlave", {"balance-rr"}, 1},
      {"tlbDynamicLb", adaptive},
      {"adActorSysPrio", {"802.3ad"}},
      {"adUserPortKey", {"802.3ad"}},
  };
  return list;
}

void check_modes(const View& bond, Report& report) {
  const auto& modes = bond_words().front().words;
  std::string mode = bond["mode"].text();
  // An unknown mode counts as the first one.
  if (std::find(modes.begin(), modes.end(), mode) == modes.end()) mode = modes.front();
  for (const ModeRule& rule : mode_rules()) {
    const View value = bond[rule.key];
    const bool number = value.text().find_first_not_of("0123456789") == std::string::npos;
    const bool used = !value.empty() && !(number && value.number() <= rule.above);
    if (!used || std::find(rule.modes.begin(), rule.modes.end(), mode) != rule.modes.end()) {
      continue;
    }
    report.error(value, fmt::format("{} of a bond does not work in the mode {}", rule.key, mode),
                 fmt::format("remove it, or use one of {}", fmt::join(rule.modes, ", ")));
  }
}

}  // namespace

void check_bond(const View& bond, Report& report) {
  if (!bond) return;
  check_words(bond, report);
  check_delays(bond, report);
  check_modes(bond, report);
  if (bond["arpIPTarget"].count() > 0) {
    report.error(bond["arpIPTarget"], "arpIPTarget of a bond is not supported",
                 "use a BondConfig document");
  }
  if (!bond["adActorSystem"].empty()) {
    report.error(bond["adActorSystem"], "adActorSystem of a bond is not supported", "remove it");
  }
}

void check_wireguard(const View& wireguard, Report& report) {
  if (!wireguard) return;
  if (!is_wireguard_key(wireguard["privateKey"].text())) {
    report.error(wireguard, "the private key of WireGuard must be 32 bytes in base64",
                 "make one with `wg genkey`");
  }
  for (const View& peer : wireguard["peers"].items()) {
    if (!is_wireguard_key(peer["publicKey"].text())) {
      report.error(peer, "the public key of a WireGuard peer must be 32 bytes in base64",
                   "make it with `wg pubkey`");
    }
    const View endpoint = peer["endpoint"];
    const auto parts = split_host_port(endpoint.text());
    const bool v6 = parts && parts->host.find(':') != std::string::npos;
    if (!endpoint.empty() && (!parts || (v6 && !is_ip(parts->host)))) {
      report.error(endpoint, fmt::format("`{}` is no endpoint", endpoint.text()),
                   "write HOST:PORT");
    }
    for (const View& allowed : peer["allowedIPs"].items()) {
      if (is_lax_cidr(allowed.text())) continue;
      report.error(allowed, fmt::format("`{}` is not a network", allowed.text()),
                   "write 10.0.0.0/8");
    }
  }
}

}  // namespace ichor::validate
