#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"A1",
     "the node says that it is too early",
     "FailedPrecondition with one of several texts: bootstrap is not available yet, another apply "
     "in progress, already applied and rebooting",
     "The code has many causes, most of them temporary: the container runtime starts, another call "
     "is in progress, or the node is about to reboot.",
     "Distinguishes them by their text in one table: waits if it is too early, looks again if a "
     "change is in progress, and retries an unknown text a few times.",
     {"wait; if it lasts, `talosctl -n NODE services` shows what does not come up",
      "`talosctl -n NODE dmesg` if no service is the cause"},
     "I14 I19",
     by_itself},
    {"A2",
     "the certificate lacks the permission",
     "PermissionDenied or Unauthenticated",
     "The certificate's role is too low: os:reader cannot apply or bootstrap.",
     "Stops.",
     {"use a talosconfig with the role os:admin, or the cluster's secrets"},
     "I14",
     by_operator},
    {"A3",
     "this Talos does not have the call or the resource",
     "Unimplemented, NotFound, or: not supported in container mode",
     "Another version of Talos, maintenance mode, or a container instead of a machine.",
     "Counts the check as skipped and says so, never as passed.",
     {"`ichor status -p PROFILE -n NODE` shows the version; see D10"},
     "I12",
     by_operator},
    {"A4",
     "a watch breaks, misses something, or ends in an error event",
     "the stream ends, or nothing comes for a minute",
     "Streams end when apid restarts.",
     "Uses a watch only as a signal to list again, so a missed event costs one poll interval.",
     {"nothing"},
     "I8",
     by_itself},
    {"A5",
     "the node does not accept the config",
     "ApplyConfiguration answers InvalidArgument, or: failed to parse config",
     "The config passes ichor's checks but not the node's: another version, or a patch with keys "
     "that the node does not know.",
     "Stops with the node's words, and shows warnings of configs that were accepted.",
     {"`ichor validate -c CONFIG -m metal --talos-version VERSION` and correct the patch that it "
      "names"},
     "I12",
     by_operator},
    {"A6",
     "an apply mode works differently in another version",
     "the answer's mode is not the one that was meant",
     "AUTO reboots in one version and not in another; TRY reverts the config after a minute.",
     "Sends configs only in maintenance mode, where a mode has only one meaning; live nodes are "
     "not "
     "changed.",
     {"with talosctl name the mode: `talosctl apply-config -n NODE --mode no-reboot -f FILE`"},
     "I6",
     by_itself},
    {"A7",
     "a message is too large, or the node is overloaded",
     "ResourceExhausted",
     "The limit is 32 MiB; or too many calls at once.",
     "Retries a few times; replies have their own limit.",
     {"make the config smaller: large inline manifests belong into files"},
     "I22",
     by_itself},
    {"A8",
     "the kubeconfig archive ends early",
     "the stream ends without the end of the archive",
     "Talos does not close its archive: that is normal. A body shorter than its header says is "
     "not.",
     "Accepts the archive if the file in it is complete, and otherwise asks again.",
     {"nothing; `ichor kubeconfig -p PROFILE` fetches it again"},
     "I18",
     by_itself},
    {"A9",
     "a config was sent several times, and every try failed",
     "config apply failed after 5 retries; the node's row says which call failed last",
     "The node is not reachable (N1, N2), refuses the config (A5), or proves to be another machine "
     "(T1, D8). The number of tries does not show which of these it is.",
     "Repeats only what can succeed later, 3 s to 60 s apart; a refusal is not repeated. The last "
     "error is shown with the node.",
     {"`ichor doctor --last -p PROFILE` shows the last error of each node",
      "`ichor doctor NODE -p PROFILE` looks at the node now",
      "`ichor apply -p PROFILE -n NODE` continues; `--retries` and `--retry-max` give it longer"},
     "I14 I19",
     by_operator},
};

}  // namespace

std::vector<Fault> api_faults() { return kRows; }

}  // namespace ichor
