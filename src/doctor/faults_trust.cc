#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"T1",
     "the node uses another PKI",
     "x509: certificate signed by unknown authority, or the node rejects our client certificate; "
     "the code is Unavailable all the same",
     "The node belongs to another cluster, or the secrets were regenerated after it was installed.",
     "Stops at once; an unknown authority is never a temporary error.",
     {"restore the secrets that NODE was installed with: `secrets.yaml` of the state folder, or "
      "`secrets_file` in PROFILE",
      "if it was installed from a config you have: `ichor gen secrets --from-controlplane-config "
      "FILE`",
      "if NODE must leave the other cluster, reset it with that cluster's talosconfig: `talosctl "
      "reset -n NODE`"},
     "I5 I14",
     by_operator},
    {"T2",
     "an installed node shows maintenance mode, or its maintenance key changed",
     "the node is unconfigured although the journal says that it was installed, or its key is not "
     "the one from discovery",
     "It was reset or booted from other media; or Talos made a new key, which it does at every "
     "boot, when it sets its clock, when its addresses change and after 12 hours; or another "
     "machine answers.",
     "With `trust: tofu` ichor accepts a new key if there is evidence of a reboot, and warns; "
     "otherwise it stops for this node. With `trust: strict` it always stops. It sends no config "
     "to an installed node that is back in maintenance mode, because the config holds the "
     "cluster's keys.",
     {"look at the console of NODE: did it boot from the ISO again? Set the boot order to disk",
      "if the console shows the new fingerprint: `ichor up -p PROFILE --accept-key "
      "NODE=FINGERPRINT`",
      "if it was wiped on purpose: `ichor reset NODE -p PROFILE` records that in the journal",
      "then `ichor up -p PROFILE`"},
     "I5",
     by_operator},
    {"T3",
     "the node's key is not the pinned one",
     "the fingerprint in the handshake is not that of the profile or of the flag",
     "The machine booted again and made a new key, the pin is of another node, or a third party "
     "stands in between.",
     "Not a byte of the config is sent.",
     {"compare with the fingerprint on the console of NODE",
      "correct `pin` of NODE in PROFILE, or `--cert-fingerprint`"},
     "I5 I11",
     by_operator},
    {"T4",
     "the node is configured already",
     "certificate required (TLS alert 116) on a call without one, or it runs another config",
     "The config came from elsewhere: an earlier run, a colleague, user data.",
     "Connects with the cluster's certificate. If the node runs the same config, the step is done; "
     "with another config the run stops, because ichor does not change live nodes.",
     {"`ichor status -p PROFILE -n NODE -o wide`, then `ichor machineconfig diff` of yours and its "
      "config",
      "`talosctl apply-config -n NODE -f FILE` if yours must win, or restore the profile"},
     "I6 I7",
     by_operator},
    {"T5",
     "another user configured the node at the same time",
     "the node accepts neither a call without a certificate nor the cluster's certificate",
     "Two tools, or two people, work on the same machine.",
     "Stops: the node is owned by another PKI. It is never reset.",
     {"find out who: the other cluster's `talosctl -n NODE get members`", "then as in T1"},
     "I4 I5",
     by_operator},
    {"T6",
     "a certificate is expired or not valid yet",
     "x509: certificate has expired or is not yet valid",
     "Client certificates live one year; or a clock is wrong.",
     "Makes a new client certificate from the cluster's secrets for every run; it refuses an "
     "expired talosconfig before the first call.",
     {"`date -u` here; `talosctl -n NODE time` there",
      "`ichor gen talosconfig NAME --with-secrets secrets.yaml` makes a new one"},
     "I18",
     by_operator},
    {"T7",
     "clocks are wrong or not in sync",
     "Bootstrap answers FailedPrecondition: time is not in sync yet; or a certificate is not valid "
     "now, and the error says by how many seconds",
     "The node cannot reach its time servers, or its hardware clock is years off.",
     "Waits up to the bootstrap budget and looks again.",
     {"check `network.ntp` in PROFILE and UDP 123 from the nodes' network",
      "`talosctl -n NODE get timestatus` and `talosctl -n NODE time` show the skew"},
     "I13 I20",
     by_itself},
    {"T8",
     "the CA is unusable",
     "the key does not belong to the certificate, is missing or of a wrong kind",
     "The secrets file was edited or put together from two.",
     "Checked when the secrets are read, before the first call.",
     {"put the whole secrets file back from your copy"},
     "I6 I10",
     before_start},
    {"T9",
     "the secrets are not those that the cluster was created with",
     "the fingerprint of the secrets differs from the journal's",
     "They were generated again between two runs, or the profile names another file.",
     "Stops before the first call: new secrets lock you out of live nodes.",
     {"put the old secrets back; nothing else helps while nodes run with them",
      "if every node was wiped: start with an empty state folder"},
     "I10",
     by_operator},
    {"T10",
     "a middlebox opens the TLS connection",
     "the issuer is a company's proxy, or the pin does not match",
     "The network intercepts TLS.",
     "Stops and names the issuer, nothing is sent.",
     {"exclude ports 50000 and 6443 of the nodes from the interception, or use another network"},
     "I5",
     by_operator},
    {"T11",
     "a control plane returned a kubeconfig of another cluster",
     "the kubeconfig has another server, CA or user than the one of this cluster",
     "The control plane is compromised, or it was given another config under the same CA.",
     "Stops and writes no kubeconfig. What is written has only what was checked, under ichor's own "
     "names.",
     {"`talosctl -n NODE get machineconfig` with the talosconfig of the state folder shows what "
      "NODE runs",
      "if NODE cannot be explained, take it out of the cluster: `ichor reset NODE -p PROFILE`"},
     "I18",
     by_operator},
};

}  // namespace

std::vector<Fault> trust_faults() { return kRows; }

}  // namespace ichor
