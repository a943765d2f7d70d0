#include "phase/provider_finding.h"

namespace ichor {

namespace {

using Kind = ProviderError::Kind;

Finding problem(std::string id, const NodeName& node, std::string what, std::string fix) {
  return {Severity::error, std::move(id), node, "proxmox", std::move(what), std::move(fix)};
}

}  // namespace

Exit exit_of(const ProviderError& error) {
  switch (error.kind) {
    case Kind::untrusted:
    case Kind::expired: return Exit::unsafe;
    case Kind::called_off: return Exit::interrupted;
    case Kind::unauthorized:
    case Kind::forbidden: return Exit::findings;
    default: return Exit::failed;
  }
}

Finding finding_of(const ProviderError& error, const NodeName& node) {
  const std::string text = to_text(error);
  switch (error.kind) {
    case Kind::untrusted:
      return problem("P7", node, "the certificate of Proxmox cannot be verified: " + text,
                     "compare with `openssl x509 -noout -fingerprint -sha256 -in "
                     "/etc/pve/local/pve-ssl.pem` on the host, then correct ca_file or fingerprint "
                     "of providers.proxmox");
    case Kind::expired:
      return problem("P7", node, "the certificate of Proxmox is expired or not yet valid: " + text,
                     "renew it on the host (`pvecm updatecerts --force`), and check the clocks of "
                     "both machines");
    case Kind::unauthorized:
      return problem(
          "P3", node, "Proxmox does not accept the token: " + text,
          "make a new token (`pveum user token add USER@REALM TOKENID`) and put it where "
          "providers.proxmox.token says, then run the same command again");
    case Kind::forbidden:
      return problem("P6", node, "the token lacks a privilege: " + text,
                     "`ichor proxmox verify` names every privilege that is missing, by path");
    case Kind::exhausted:
      return problem("P1", node, "Proxmox has no room: " + text,
                     "free space or raise the quota, or name another storage or host in "
                     "providers.proxmox, then run the same command again");
    case Kind::unreachable:
      return problem("P1", node, "Proxmox does not answer: " + text,
                     "check providers.proxmox.url and the host, then run the same command again: "
                     "it continues from there");
    case Kind::exists:
      return problem(
          "P4", node, "the VM ID is already in use: " + text,
          "give the node another vmid in the profile: a container, or a VM that the token "
          "may not see, has this one");
    case Kind::locked:
      return problem("P1", node, "another task works on the machine: " + text,
                     "wait for it (backup, migration), then run the same command again");
    default:
      return problem("P1", node, "Proxmox refuses: " + text,
                     "correct what it names, then run the same command again");
  }
}

}  // namespace ichor
