#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"C1",
     "the file is not YAML that can be trusted",
     "an error with line and column: too deep, too large, a key twice, a tab",
     "A mistake, a merge conflict, or a file that is not a profile at all.",
     "Refuses it within a second, before anything else.",
     {"correct the line that is named; `ichor lint -p PROFILE`"},
     "I22",
     before_start},
    {"C2",
     "a template cannot be rendered",
     "an undefined name, a wrong type, an include that leaves its folder, or too many steps",
     "A variable is missing or misspelled.",
     "Stops with file and line; a half-rendered file is never used.",
     {"`ichor render FILE --vars VARS` shows it alone"},
     "I6 I24",
     before_start},
    {"C3",
     "a patch does nothing, or touches secrets",
     "a finding patch.nobody, or a patch that changes the CA or a token",
     "A path that does not exist in the config, or a patch meant for another cluster.",
     "Warns about the first and refuses the second.",
     {"`ichor machineconfig patch CONFIG --patch @FILE` shows what it does"},
     "I6 I10",
     before_start},
    {"C4",
     "the config has keys or documents that Talos does not know",
     "unknown keys, or a document twice",
     "A misspelling, or a key of another version.",
     "Refused here as the node would refuse it.",
     {"`ichor validate -c CONFIG -m metal`"},
     "I12",
     before_start},
    {"C5",
     "networks overlap",
     "node, pod and service networks share addresses",
     "Defaults that a home network uses as well.",
     "Found by lint; on running nodes Talos reports address-overlap.",
     {"change `pod_cidr` or `service_cidr` in PROFILE before the first `ichor up`"},
     "I12",
     before_start},
    {"C6",
     "the API endpoint in the profile cannot work",
     "6443 does not answer at the endpoint, or its certificate lacks the name",
     "The endpoint is neither a control plane, the VIP nor a load balancer, or the name is missing "
     "in the certificate's SANs.",
     "Says so with the error of the handshake instead of waiting in silence.",
     {"check `network.api_endpoint` and `network.vip` in PROFILE",
      "`talosctl -n NODE get addresses` shows who holds the VIP"},
     "I19",
     by_operator},
    {"C7",
     "the config has kernel arguments, but the boot image has its own command line",
     "install.extraKernelArgs and install.grubUseUKICmdline can't be used together; or arguments "
     "of the config that the kernel never gets",
     "A unified kernel image (with secure boot, or with grubUseUKICmdline, the default since Talos "
     "1.12) carries its own command line. Arguments belong into the Image Factory's schematic.",
     "Found by lint (boot.arguments), which prints the schematic to use instead, and its ID.",
     {"`ichor lint -p PROFILE` prints the current schematic with your arguments added",
      "remove machine.install.extraKernelArgs, and write the new ID as "
      "`talos.factory.schematic_id` in PROFILE"},
     "I12",
     before_start},
    {"C8",
     "the profile lists a patch whose file does not exist",
     "file not found: machine-logging.yaml; no such file, at a name in a list of patches",
     "The name is misspelled, or the file comes from a template whose result was empty, "
     "because a condition in it names a variable that is not set.",
     "Renders templates itself: one that is empty is a finding that names the condition "
     "(patch.empty), and a missing file is a finding that names the list (patch.missing).",
     {"`ichor render TEMPLATE --vars VARS` shows the result, and which conditions were false",
      "set the variable that the condition names, or remove the file from the list",
      "`ichor lint -p PROFILE` proves it"},
     "I6",
     before_start},
};

}  // namespace

std::vector<Fault> config_faults() { return kRows; }

}  // namespace ichor
