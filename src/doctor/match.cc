#include "doctor/match.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "wait/retry_table.h"

namespace ichor {

namespace {

// Texts of Talos, of libraries and of other programs, and no sentence of ours: errors of ichor
// carry their row with them (base/fault_id.h), and findings print it. From the particular to the
// general: of two that fit, the first counts.
const std::vector<ErrorPattern> kPatterns = {
    {{"database disk image is malformed"}, "L5", "The file is damaged."},
    {{"file is not a database"}, "L5", "The file is damaged, or it is something else."},
    {{"no space left on device"}, "L3", "A disk of this machine is full."},
    {{"disk quota exceeded"}, "L3", "Your quota on this machine is used up."},
    {{"database or disk is full"}, "L3", "The disk of the state folder is full."},
    {{"read-only file system"}, "L3", "The state folder cannot be written."},
    {{"disk i/o error"}, "L4", "The disk of the state folder fails."},
    {{"input/output error"}, "L4", "The disk of the state folder fails."},
    {{"too many open files"}, "L9", "The limit of descriptors is reached."},
    {{"etcd data directory is not empty"}, "E3", {}},
    {{"data directory", "not empty"}, "E3", {}},
    {{"too many learner"}, "E6", {}},
    {{"can only promote a learner member"}, "E7", "The member has not caught up."},
    {{"waiting for etcd spec"}, "E2", "No address of the node fits etcd's advertised subnets."},
    {{"nospace"}, "E9", "The etcd database is full."},
    {{"etcdserver: mvcc: database space exceeded"}, "E9", "The etcd database is full."},
    {{"alarm", "corrupt"}, "E9", "A member's data is damaged."},
    {{"etcdserver: no leader"}, "E8", {}},
    {{"bootstrap can only be performed on a control plane"}, "E10", {}},
    {{"bootstrap is not available yet"}, "A1", "The container runtime is still starting."},
    {{"time is not in sync"}, "T7", "The node cannot reach its time servers."},
    {{"bootstrap", "in progress"}, "A1", "Another bootstrap is under way."},
    {{"already in progress"}, "A1", "Another apply is under way."},
    {{"node is rebooting"}, "A1", "A config was applied and the node is about to reboot."},
    {{"extrakernelargs", "grubuseukicmdline"}, "C7", {}},
    {{"file not found"}, "C8", {}},
    {{"no such file or directory", ".yaml"}, "C8", {}},
    {{"command not found"},
     "L14",
     "A script calls a program that is not installed. ichor itself needs neither yq, jq nor "
     "talosctl."},
    {{"not found in $path"},
     "L14",
     "A script calls a program that is not installed. ichor itself needs neither yq, jq nor "
     "talosctl."},
    {{"apply", "failed", "retries"}, "A9", {}},
    {{"apply", "failed", "attempts"}, "A9", {}},
    {{"stuck", "maintenance"}, "D12", {}},
    {{"still in maintenance"}, "D12", {}},
    {{"no disks matched"}, "D3", "The selector matches no disk of the node."},
    {{"no disk found"}, "D3", "The selector matches no disk of the node."},
    {{"multiple disks match"}, "D3", "The selector matches several disks of the node."},
    {{"diskselector"},
     "D3",
     "The selector matches no disk of the node, or several, or it is missing."},
    {{"install disk"}, "D3", "No install disk is named, or the node does not have it."},
    {{"no disk matched"}, "D3", "The selector matches no disk of the node."},
    {{"no matching disk"}, "D3", "The selector matches no disk of the node."},
    {{"disk selector"}, "D3", "The selector matches no disk of the node, or several."},
    {{"failed to pull"}, "D2", "The registry cannot be reached from the node."},
    {{"pull", "image", "not found"}, "D2", "The image does not exist in the registry."},
    {{"exec format error"}, "D2", "The image is of another architecture."},
    {{"not implemented in maintenance mode"}, "A3", "The node has no config yet."},
    {{"certificate required"}, "T4", "The node is configured and wants a client certificate."},
    {{"certificate has expired or is not yet valid"}, "T6", {}},
    {{"certificate signed by unknown authority"},
     "T1",
     "The node's CA is not the one of your talosconfig: another cluster, or regenerated "
     "secrets."},
    {{"unknown certificate authority"}, "T1", "The node does not know your certificate's CA."},
    {{"remote error: tls: bad certificate"}, "T1", "The node refuses your client certificate."},
    {{"self-signed certificate"}, "T1", "The node's CA is not the one you trust."},
    {{"certificate is valid for"}, "C6", "The certificate lacks the address that was dialled."},
    {{"unknown keys found"}, "C4", {}},
    {{"failed to parse config"}, "A5", {}},
    {{"unsupported", "version"}, "D10", "The node and the client are of different versions."},
    {{"address-overlap"}, "C5", {}},
    {{"nodeready", "unmet"}, "K1", "The node has no CNI, or it has not started."},
    {{"network plugin", "not initialized"}, "K1", "The CNI is missing, or has not started."},
    {{"cni config uninitialized"}, "K1", "The CNI is missing, or has not started."},
    {{"kubelet-csr"}, "K2", {}},
    {{"no such host"}, "N13", {}},
    {{"name resolution"}, "N13", {}},
    {{"proxyconnect"}, "N14", "A proxy variable is set for the client."},
    {{"http proxy returned"}, "N14", "A web proxy answers in the node's place."},
    {{"connection refused"}, "N1", {}},
    {{"connection reset"}, "N7", {}},
    {{"broken pipe"}, "L10", {}},
    {{"i/o timeout"}, "N2", {}},
    {{"no route to host"}, "N2", "The network says that there is no way to the address."},
    {{"network is unreachable"}, "N2", "This machine has no route to the address."},
    {{"context deadline exceeded"}, "N2", "Nothing answered in time."},
    {{"permission denied"}, "A2", {}},
    {{"not authorized"}, "A2", {}},
};

std::string lowered(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::optional<Code> code_in(std::string_view text) {
  for (int number = 1; number <= static_cast<int>(Code::unauthenticated); ++number) {
    const auto code = static_cast<Code>(number);
    const std::string name(name_of(code));
    // "code = Unavailable" as Go's clients print it, "Bootstrap: Unavailable: …" as ours does.
    const std::string_view whole(text);
    if (whole.find("code = " + name) != std::string_view::npos) return code;
    if (whole.find(": " + name + ":") != std::string_view::npos) return code;
    if (whole.starts_with(name + ":")) return code;
  }
  return std::nullopt;
}

Call call_in(const std::string& low) {
  for (int number = 0; number < kCallCount; ++number) {
    const auto call = static_cast<Call>(number);
    const std::string name = lowered(name_of(call));
    // "open" and "watch" are words of many a sentence.
    if (name.size() > 7 && contains(low, name)) return call;
  }
  return Call::open;
}

TlsVerdict tls_in(const std::string& low) {
  struct Sign {
    std::string_view words;
    TlsVerdict verdict;
  };
  static constexpr std::array<Sign, 8> signs{{
      {"certificate required", TlsVerdict::wants_client},
      {"expired", TlsVerdict::expired},
      {"not yet valid", TlsVerdict::expired},
      {"signed by unknown authority", TlsVerdict::foreign_ca},
      {"self-signed certificate", TlsVerdict::foreign_ca},
      {"unknown certificate authority", TlsVerdict::client_rejected},
      {"bad certificate", TlsVerdict::client_rejected},
      {"not pinned", TlsVerdict::wrong_pin},
  }};
  if (!contains(low, "certificate") && !contains(low, "pin")) return TlsVerdict::fine;
  for (const Sign& sign : signs) {
    if (contains(low, sign.words)) return sign.verdict;
  }
  return TlsVerdict::fine;
}

Progress progress_of(const CallError& error, bool has_code) {
  if (error.tls != TlsVerdict::fine) return Progress::not_sent;
  if (!has_code) return Progress::not_sent;
  const bool of_the_way = error.code == Code::unavailable ||
                          error.code == Code::deadline_exceeded || error.code == Code::cancelled;
  if (!of_the_way) return Progress::answered;
  return mutates(error.call) ? Progress::sent : Progress::not_sent;
}

std::optional<Match> match_words(const std::string& low) {
  for (const ErrorPattern& pattern : error_patterns()) {
    const bool fits = std::all_of(pattern.words.begin(), pattern.words.end(),
                                  [&](std::string_view word) { return contains(low, word); });
    if (!fits) continue;
    std::string evidence;
    for (const std::string_view word : pattern.words) {
      evidence += (evidence.empty() ? "\"" : ", \"") + std::string(word) + "\"";
    }
    return Match{find_fault(pattern.fault), std::string(pattern.cause), std::move(evidence)};
  }
  return std::nullopt;
}

/// An id of a row stands in brackets or as a word of its own, as ichor prints findings: "error E4".
std::optional<Match> match_id(std::string_view text) {
  for (const std::string_view severity : {"error ", "warning ", "note "}) {
    const std::size_t at = text.find(severity);
    if (at == std::string_view::npos) continue;
    std::string_view rest = text.substr(at + severity.size());
    rest = rest.substr(0, rest.find_first_of(" :,"));
    if (!is_fault_id(rest)) continue;
    if (const Fault* fault = find_fault(rest)) {
      return Match{fault, {}, "the id " + std::string(rest)};
    }
  }
  return std::nullopt;
}

}  // namespace

const std::vector<ErrorPattern>& error_patterns() { return kPatterns; }

CallError read_error(std::string_view text) {
  const std::string low = lowered(text);
  CallError error;
  const auto code = code_in(text);
  error.code = code.value_or(Code::unknown);
  error.call = call_in(low);
  error.tls = tls_in(low);
  error.progress = progress_of(error, code.has_value());
  error.text = std::string(text);
  return error;
}

std::optional<Match> match_error(std::string_view text) {
  if (auto by_id = match_id(text)) return by_id;
  if (auto by_words = match_words(lowered(text))) return by_words;
  if (!code_in(text)) return std::nullopt;
  const CallError error = read_error(text);
  const RetryRule& rule = rule_for(error);
  return Match{find_fault(rule.fault), std::string(rule.hint),
               "the code " + std::string(name_of(error.code))};
}

}  // namespace ichor
