#include <utility>

#include "doctor/fault_tables.h"

namespace ichor {

namespace {

std::vector<Invariant> invariants_of_nodes() {
  return {
      {"I1", "one bootstrap",
       "There is never more than one etcd cluster among the nodes of a profile. A second bootstrap "
       "is sent only after the first one was proved to be lost."},
      {"I2", "one target",
       "The machine that is bootstrapped is in the journal before the first call, and every later "
       "call goes to it."},
      {"I3", "unknown is not no",
       "Bootstrap is sent only when every planned control plane has said within the last minute "
       "that it has no etcd data. Silence is no answer."},
      {"I4", "nothing is destroyed",
       "No disk with data is overwritten and no node is reset without consent that names the node "
       "and the disk. Error handling never destroys anything."},
      {"I5", "the right node",
       "ichor sends a change only on a connection on which the machine has proved that it is "
       "the one in the profile and the journal."},
      {"I6", "the right bytes",
       "What is sent is what was generated and what the journal has a digest of."},
      {"I7", "the same end",
       "Wherever a run is interrupted, the next one reaches the same result, and one more changes "
       "nothing. A task that waits for a task that has stopped also ends."},
      {"I8", "journal first",
       "An intent is on disk before ichor sends its request, an outcome before ichor uses it."},
      {"I9", "a whole journal",
       "ichor drops an incomplete last record and checks again; any other damage stops the run."},
      {"I10", "the same secrets", "After the first config was sent the secrets never change."},
      {"I11", "no secret leaves",
       "Keys and tokens are in no output, log, journal, report, argument or temporary file."},
      {"I12", "an honest exit",
       "ichor exits with 0 only if it saw at the end that all is well; unknown and skipped are "
       "not 0."},
      {"I13", "bounded time",
       "Every call has a deadline, every wait a budget. This finding says that a budget was used "
       "up while the nodes answered: what they were waiting for is named in it."},
      {"I14", "bounded retries",
       "Delays grow up to a limit; ichor retries changes a few times and permanent errors never."},
      {"I15", "one writer", "One process changes a cluster at a time."},
      {"I16", "stages go forward",
       "A node goes back to an earlier stage only for a recorded reason."},
      {"I17", "quorum",
       "No step takes away a majority of etcd, and only one member joins at a time."},
      {"I18", "credentials",
       "kubeconfig and talosconfig are written whole, for their owner only, after the server "
       "proved "
       "itself."},
      {"I19", "a named cause", "Every failure names node, step, cause and the next command."},
      {"I20", "clocks", "No decision rests on the wall clock."},
      {"I21", "a prompt end", "A signal ends a run within ten seconds, with a consistent journal."},
      {"I22", "bounded resources", "Memory, descriptors and sizes of inputs have limits."},
      {"I23", "repeatable", "The same seed gives the same simulated run."},
      {"I24", "confined", "Files are written below the declared folders only."},
      {"I25", "bound key",
       "A node in maintenance mode gets its config under the key bound to it; another key is bound "
       "only after a reboot or when the node has set its clock."},
  };
}

std::vector<Invariant> invariants_around_nodes() {
  return {
      {"I26", "gates first", "Nothing is applied or installed before its gate really held."},
      {"I27", "own requests",
       "A certificate request is approved only if the kubelet of a planned node sent it, for its "
       "own name and address."},
      {"I28", "foreign fields",
       "No field that another manager owns is overwritten without the operator's consent."},
      {"I29", "one install",
       "A release is never installed twice at the same time, and never over a revision that is "
       "still pending in a running helm process or belongs to another client."},
      {"I30", "secrets stay",
       "A secret value goes into the data of a Secret object and nowhere else."},
      {"I31", "nothing changes",
       "A run on a cluster that was handed over leaves every object at its version and every "
       "release at its revision."},
      {"I32", "a true handover",
       "ichor reports the handover only when namespaces, secrets, CRDs and releases are as wanted, "
       "all nodes are Ready and GitOps is reconciled."},
      {"I33", "one machine",
       "No VM is created twice: ichor does not ask for one that exists or is being created."},
      {"I34", "foreign machines",
       "ichor does not start, stop or remove a VM without the cluster's tag."},
      {"I35", "nothing is lost",
       "The next run finds every task and every VM that a killed run started at the provider."},
      {"I36", "an upgrade keeps the quorum",
       "An upgrade takes no control plane down that etcd needs for its quorum, unless the operator "
       "agreed."},
      {"I37", "one at a time", "Two control planes are never down because of an upgrade."},
      {"I38", "the planned version",
       "No node is upgraded to anything that the plan does not say, and a success says that all of "
       "them run it and take pods again."},
      {"I39", "a gentle drain",
       "A pod leaves its node by an eviction, which heeds its PodDisruptionBudget, and is never "
       "deleted."},
  };
}

}  // namespace

std::vector<Invariant> all_invariants() {
  std::vector<Invariant> all = invariants_of_nodes();
  for (Invariant& one : invariants_around_nodes()) all.push_back(std::move(one));
  return all;
}

}  // namespace ichor
