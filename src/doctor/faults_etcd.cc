#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"E1",
     "a bootstrap that was accepted is lost",
     "the node accepted the call and rebooted, and its etcd waits with an empty data directory",
     "Talos keeps the request in memory until etcd has written its data; a reboot in between loses "
     "it.",
     "A new boot id proves the loss. When all control planes say that they have no data, ichor "
     "sends the bootstrap to the same node again.",
     {"nothing: the run continues by itself"},
     "I1 I2 I3",
     by_itself},
    {"E2",
     "etcd does not start after the bootstrap",
     "the service etcd stays in Waiting or Preparing, with a reason such as: waiting for etcd spec",
     "No address of the node fits etcd's advertised subnets, its image cannot be pulled, or its "
     "certificates are missing because the time is not in sync.",
     "Waits up to the budget and quotes the service's own reason.",
     {"`talosctl -n NODE service etcd` and `talosctl -n NODE logs etcd`",
      "check `cluster.etcd.advertisedSubnets` in the patches against the node's addresses"},
     "I12 I13",
     by_operator},
    {"E3",
     "the node says that it has etcd data already",
     "Bootstrap answers AlreadyExists: etcd data directory is not empty",
     "An earlier bootstrap worked although its answer was lost; or the data is of an older "
     "cluster.",
     "Checks whose data it is: a member list of this cluster counts as success, anything else "
     "stops the run.",
     {"`ichor status -p PROFILE` shows who is a member", "for foreign data see E5"},
     "I1 I12",
     by_itself},
    {"E4",
     "two etcd clusters",
     "two control planes list members that do not overlap",
     "Bootstrap was sent to two nodes, by hand or by another tool; the node cannot know.",
     "Stops at once, touches nothing, and prints both member lists.",
     {"`talosctl -n NODE etcd members` on each control plane",
      "keep the one with your data; run `ichor reset NODE -p PROFILE` for each node of the other",
      "then `ichor up -p PROFILE`: they join the remaining cluster"},
     "I1 I4",
     by_operator},
    {"E5",
     "etcd data of another cluster",
     "AlreadyExists, or a member that is not a control plane of this profile",
     "The disk was used before and its EPHEMERAL partition was kept.",
     "Stops; data is wiped only with your consent.",
     {"`talosctl -n NODE etcd members` shows which cluster it belongs to",
      "if control planes of PROFILE are among the members, the data is this cluster's: reset none "
      "of them; add the other member to PROFILE, or `talosctl -n NODE etcd remove-member ID` if it "
      "is gone for good",
      "if none is and the data can go: `ichor reset NODE -p PROFILE`, then `ichor up -p PROFILE`"},
     "I4",
     by_operator},
    {"E6",
     "a second member must wait before it may join",
     "too many learner members in cluster",
     "etcd takes one learner at a time.",
     "Waits: joins follow one another.",
     {"nothing, for up to half an hour with large data"},
     "I13 I17",
     by_itself},
    {"E7",
     "a member stays a learner",
     "IsLearner for more than ten minutes",
     "Its disk or its network to the leader is too slow to catch up, or it was never promoted "
     "because the node restarted meanwhile.",
     "Waits up to the etcd budget, then ends out of time with the node's name.",
     {"`talosctl -n NODE etcd status`: if its raft index grows, wait",
      "if it does not grow: `talosctl -n OTHER etcd remove-member ID` on a voter, then `talosctl "
      "-n NODE reboot`: it joins again"},
     "I17 I19",
     by_operator},
    {"E8",
     "etcd has lost its quorum",
     "no leader; health checks time out",
     "Of two members one is away; or more than half of them are down.",
     "Sends nothing to control planes and waits: restarting more of them makes it worse.",
     {"bring the missing control planes back; `ichor status -p PROFILE` names them",
      "if they are lost for good, restore a snapshot: `ichor help etcd` describes how"},
     "I17",
     by_operator},
    {"E9",
     "etcd raised an alarm",
     "NOSPACE or CORRUPT in the alarm list",
     "The database is full, or a member's data is damaged; slow disks make both likelier.",
     "Stops and names the alarm and the member that it was raised for.",
     {"NOSPACE: `talosctl -n NODE etcd defrag`, then `talosctl -n NODE etcd alarm disarm`",
      "CORRUPT: `talosctl -n NODE etcd alarm list` names the damaged member by its id and "
      "`talosctl -n NODE etcd members` shows whose id that is; any member lists the alarms of all",
      "CORRUPT, with a healthy majority left: keep a snapshot, `talosctl -n OTHER etcd snapshot "
      "etcd.snapshot`, then `talosctl -n OTHER etcd remove-member ID`, and `ichor reset` and "
      "`ichor up` for the node of that id and no other"},
     "I17",
     by_operator},
    {"E10",
     "bootstrap was sent to a worker",
     "Unimplemented or FailedPrecondition: bootstrap can only be performed on a control plane node",
     "Roles are swapped, or a script took the first address of a list.",
     "Sends it to control planes only. A bootstrap by hand is reported and not repeated.",
     {"check the roles in PROFILE; do not run `talosctl bootstrap` yourself: `ichor up` does"},
     "I2 I14",
     before_start},
};

}  // namespace

std::vector<Fault> etcd_faults() { return kRows; }

}  // namespace ichor
