#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"O1",
     "the wrong cluster",
     "the profile describes another cluster than the journal, the flag or the talosconfig",
     "A shell in the wrong folder, an exported variable.",
     "Stops and shows both names.",
     {"`ichor -p PROFILE --cluster NAME …` refuses anything else"},
     "I5 I15",
     before_start},
    {"O2",
     "the profile does not fit the machines",
     "MAC, UUID or serial of the machine are not those of the profile; roles are swapped; an even "
     "number of control planes",
     "A typing mistake, or two machines that were mixed up.",
     "Stops at discovery, before a config is sent; lint warns about even numbers.",
     {"`ichor discover -p PROFILE` lists what every machine says of itself",
      "correct `mac`, `uuid`, `serial` or `ip` of NODE in PROFILE"},
     "I5 I17",
     by_operator},
    {"O3",
     "the profile was changed between two runs",
     "the plan's digest differs from the journal's, or the bootstrapped node is not in it",
     "The profile was edited while a bring-up was unfinished.",
     "Applies the changed configs again before etcd is bootstrapped. After that it applies "
     "only changes that need no reboot; the node refuses the others, and ichor reports "
     "them.",
     {"`ichor plan -p PROFILE` shows what would happen",
      "if a reboot is needed: write the configs with `ichor gen config --from PROFILE`, then "
      "`talosctl -n NODE apply-config --mode reboot -f FILE`, one control plane after another",
      "or put the old profile back"},
     "I6 I7",
     by_operator},
    {"O4",
     "another user changed the nodes by hand",
     "the config or etcd is not what the journal says",
     "`talosctl apply-config`, `bootstrap` or `reset` beside ichor.",
     "Takes over what fits, and stops where it does not.",
     {"`ichor status -p PROFILE -o wide`, then `ichor machineconfig diff`",
      "put the change into PROFILE, or take it back on NODE"},
     "I1 I8",
     by_operator},
    {"O5",
     "secrets would go into git, or others can read them",
     "the path is inside a work tree and not ignored, or its mode lets others read",
     "The state folder or an output lies in the repository.",
     "Refuses to write there.",
     {"add `.ichor/` and `kubernetes/kubeconfig` to .gitignore, or name another path",
      "`chmod 600 FILE`"},
     "I11 I18",
     before_start},
    {"O6",
     "consent without looking",
     "a wipe is asked for without naming node and disk",
     "A script that says yes to everything.",
     "Accepts only a consent that names the node and its serial.",
     {"name them: see `ichor reset --help`"},
     "I4",
     before_start},
};

}  // namespace

std::vector<Fault> operator_faults() { return kRows; }

}  // namespace ichor
