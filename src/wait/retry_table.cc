#include "wait/retry_table.h"

#include <algorithm>

namespace ichor {

std::string_view name_of(Reaction reaction) {
  switch (reaction) {
    case Reaction::retry: return "retry";
    case Reaction::not_yet: return "not-yet";
    case Reaction::look_again: return "look-again";
    case Reaction::give_up: return "give-up";
  }
  return "?";
}

namespace {

using enum Reaction;

RetryRule tls(TlsVerdict verdict, Reaction reaction, std::string_view fault,
              std::string_view hint) {
  return {.call = {},
          .progress = {},
          .tls = verdict,
          .code = {},
          .text = {},
          .mark = {},
          .reaction = reaction,
          .fault = fault,
          .hint = hint};
}

/// The node itself answered `code` with a text that contains `text`.
RetryRule said(std::optional<Call> call, Code code, std::string_view text, Reaction reaction,
               std::string_view fault, std::string_view hint) {
  return {.call = call,
          .progress = Progress::answered,
          .tls = {},
          .code = code,
          .text = text,
          .mark = {},
          .reaction = reaction,
          .fault = fault,
          .hint = hint};
}

/// ichor itself found the fault in what the node answered, or in what it did with the answer.
template <std::size_t N>
RetryRule found(std::optional<Call> call, const char (&id)[N], Reaction reaction,
                std::string_view hint) {
  RetryRule rule = said(call, Code::unknown, {}, reaction, id, hint);
  rule.progress.reset();
  rule.code.reset();
  rule.mark = id;
  return rule;
}

RetryRule lost(Progress progress, std::optional<Code> code, Reaction reaction,
               std::string_view fault, std::string_view hint) {
  return {.call = {},
          .progress = progress,
          .tls = {},
          .code = code,
          .text = {},
          .mark = {},
          .reaction = reaction,
          .fault = fault,
          .hint = hint};
}

/// The node answered the call with an error whose text contains `text`, whatever its code.
RetryRule failed(Call call, std::string_view text, Reaction reaction, std::string_view fault,
                 std::string_view hint) {
  RetryRule rule = said(call, Code::unknown, text, reaction, fault, hint);
  rule.code.reset();
  return rule;
}

/// What is answered to the calls of an upgrade.
std::vector<RetryRule> rules_of_upgrades() {
  constexpr std::string_view kImage =
      "check the version, the schematic and `talos.installer_image`, and that the node reaches the "
      "registry";
  constexpr std::string_view kInstaller =
      "see `talosctl -n NODE dmesg`; the node runs its old version. Fix it, then `ichor upgrade` "
      "again";
  return {
      failed(Call::pull_image, "not found", give_up, "U1", kImage),
      said(Call::pull_image, Code::not_found, {}, give_up, "U1", kImage),
      failed(Call::pull_image, {}, retry, "U1", kImage),
      failed(Call::upgrade, "in progress", not_yet, "U4", "another install runs on the node"),
      failed(Call::upgrade, "installer image", give_up, "U1", kImage),
      found(Call::upgrade, "U4", give_up, kInstaller),
      found(Call::etcd_snapshot, "E9", give_up,
            "nothing was changed; `ichor etcd status` shows what is wrong with etcd, and "
            "`--no-snapshot` goes on without one"),
      said(Call::update_proxy, Code::aborted, {}, look_again, "U14",
           "the DaemonSet is another object now"),
      said(Call::evict, Code::resource_exhausted, {}, not_yet, "U2",
           "a PodDisruptionBudget forbids it now"),
      said(Call::evict, Code::not_found, {}, look_again, "U2", "the pod is gone"),
      said(Call::evict, Code::aborted, {}, look_again, "U2", "another pod of that name is there"),
      said(Call::cordon, Code::aborted, {}, look_again, "U2", "the Node is another object now"),
      said(Call::uncordon, Code::aborted, {}, look_again, "U2", "the Node is another object now"),
  };
}

/// The verdict of the handshake, and what a node answers to the calls that change it.
std::vector<RetryRule> rules_of_changes() {
  const auto bootstrap = Call::bootstrap;
  const auto apply = Call::apply_configuration;
  return {
      // The handshake speaks before the status: the code is Unavailable for all of these.
      tls(TlsVerdict::foreign_ca, give_up, "T1",
          "the node belongs to another cluster, or the secrets were regenerated: use the secrets "
          "it was installed with"),
      tls(TlsVerdict::client_rejected, give_up, "T1",
          "the node does not know our client certificate's CA: use the secrets it was installed "
          "with"),
      tls(TlsVerdict::wrong_pin, give_up, "T3",
          "another key answers than the one pinned: compare with the fingerprint on the console"),
      tls(TlsVerdict::changed_key, give_up, "T2",
          "another key answers than at discovery, without a sign of a reboot: compare with the "
          "fingerprint on the console, then `ichor up --accept-key NODE=FINGERPRINT`"),
      tls(TlsVerdict::expired, give_up, "T6", "renew the talosconfig, or set the clock"),
      tls(TlsVerdict::wants_client, look_again, "T4", "the node is configured already"),

      // FailedPrecondition means many things; only its text tells them apart (A1).
      said(bootstrap, Code::failed_precondition, "bootstrap is not available yet", not_yet, "A1",
           "the node is still starting its container runtime"),
      said(bootstrap, Code::unknown, "during unattended install", not_yet, "A1",
           "the node still installs itself on its disk"),
      said(bootstrap, Code::failed_precondition, "time is not in sync yet", not_yet, "T7",
           "the node cannot reach its time servers: check network.ntp and UDP 123"),
      said(bootstrap, Code::failed_precondition, "control plane node", give_up, "E10",
           "bootstrap goes to a control plane only"),
      said(bootstrap, Code::unimplemented, "control plane nodes", give_up, "E10",
           "bootstrap goes to a control plane only"),
      said(bootstrap, Code::already_exists, {}, look_again, "E3",
           "etcd data exists on the node; whose it is must be seen"),
      said(Call::etcd_recover, Code::failed_precondition, "not ready for recovery yet", not_yet,
           "A1", "the node is still mounting its disk"),
      said(Call::etcd_remove_member, Code::not_found, {}, look_again, "E7",
           "the member is gone by now"),
      said(apply, Code::failed_precondition, "already in progress", not_yet, "A1",
           "another apply is under way"),
      said(apply, Code::failed_precondition, "node is rebooting", look_again, "A1",
           "a config was applied and the node is rebooting"),
      found(
          apply, "A6", give_up,
          "the config is kept for the next boot or on trial only: reboot the node, then `ichor up` "
          "looks again"),
      said(apply, Code::unimplemented, "--mode=", give_up, "A6",
           "this version of Talos does not know the mode in maintenance mode"),
      said(
          apply, Code::invalid_argument, "immediate mode", give_up, "O3",
          "the change needs a reboot, and ichor reboots no node of a live cluster. Write the "
          "configs "
          "with `ichor gen config --from`, then `talosctl apply-config --mode reboot`, one control "
          "plane after another; or put the profile back"),
      said(apply, Code::invalid_argument, {}, give_up, "A5",
           "the node does not accept the config: fix what it says"),
      said(apply, Code::unknown, "failed to parse config", give_up, "A5",
           "the node does not accept the config: fix what it says"),
      said(apply, Code::permission_denied, {}, look_again, "T4",
           "the node already has a config, or the role is too low"),
  };
}

/// What a node answers to any call, and what becomes of the way to it. The last row matches all.
std::vector<RetryRule> rules_of_all_calls() {
  return {
      said(std::nullopt, Code::failed_precondition, "CA is not configured", not_yet, "A1",
           "the node has not got its Kubernetes CA yet"),
      said(std::nullopt, Code::failed_precondition, "not installed", give_up, "A1",
           "Talos runs from its boot image there: install it first"),
      said(std::nullopt, Code::failed_precondition, "container mode", give_up, "A3",
           "not available on this platform"),
      said(std::nullopt, Code::permission_denied, {}, give_up, "A2",
           "the certificate's role is too low for this call"),
      said(std::nullopt, Code::unimplemented, {}, give_up, "A3",
           "this version of Talos does not serve the call"),
      said(std::nullopt, Code::not_found, {}, give_up, "A3", "the node has no such resource"),
      said(std::nullopt, Code::invalid_argument, {}, give_up, "A5", "the node refuses the request"),
      said(std::nullopt, Code::unauthenticated, {}, give_up, "A2", "the node wants credentials"),
      said(std::nullopt, Code::resource_exhausted, "larger than max", give_up, "A7",
           "the message is larger than 32 MiB, which no node takes or sends"),
      said(std::nullopt, Code::resource_exhausted, {}, retry, "A7", "the node is overloaded"),

      said(Call::kubeconfig, Code::data_loss, {}, give_up, "T11",
           "the control plane is not what its config made it: look at it before anything else; "
           "nothing was written"),
      found(Call::kubeconfig, "A8", retry, "the node's archive was not whole: it is fetched again"),
      found(Call::kubeconfig, "L13", retry, "make the folder writable, or name another one"),

      // The way to the node. A mutation that was sent may have happened.
      {.call = {},
       .progress = Progress::not_sent,
       .tls = {},
       .code = {},
       .text = "HTTP proxy",
       .mark = {},
       .reaction = retry,
       .fault = "N14",
       .hint = "a web proxy answers in the node's place: exclude port 50000 of the nodes from it"},
      lost(Progress::sent, std::nullopt, look_again, "N3",
           "the reply was lost; the call may have happened"),
      lost(Progress::not_sent, Code::deadline_exceeded, retry, "N2",
           "nothing answers: check route, VLAN and firewall for port 50000"),
      lost(Progress::not_sent, std::nullopt, retry, "N1",
           "port 50000 refuses: the node is booting, or apid restarts"),
      {.call = {},
       .progress = {},
       .tls = {},
       .code = {},
       .text = {},
       .mark = {},
       .reaction = retry,
       .fault = "A1",
       .hint = "unknown answer; bounded retry"},
  };
}

std::vector<RetryRule> make_rules() {
  std::vector<RetryRule> rules = rules_of_changes();
  const std::vector<RetryRule> upgrades = rules_of_upgrades();
  rules.insert(rules.end(), upgrades.begin(), upgrades.end());
  const std::vector<RetryRule> others = rules_of_all_calls();
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

bool matches(const RetryRule& rule, const CallError& error) {
  if (rule.call && *rule.call != error.call) return false;
  if (rule.progress && *rule.progress != error.progress) return false;
  if (rule.tls && *rule.tls != error.tls) return false;
  if (rule.code && *rule.code != error.code) return false;
  if (!rule.mark.empty() && rule.mark != error.fault) return false;
  return rule.text.empty() || error.text.find(rule.text) != std::string::npos;
}

}  // namespace

const std::vector<RetryRule>& retry_rules() {
  static const std::vector<RetryRule> rules = make_rules();
  return rules;
}

const RetryRule& rule_for(const CallError& error) {
  return *std::find_if(retry_rules().begin(), retry_rules().end(),
                       [&](const RetryRule& rule) { return matches(rule, error); });
}

}  // namespace ichor
