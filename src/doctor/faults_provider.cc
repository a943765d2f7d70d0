#include "doctor/fault_tables.h"

namespace ichor {

namespace {

using enum Recovery;

const std::vector<Fault> kRows = {
    {"P1",
     "the provider's API fails half-way",
     "quota, 429, 5xx, or a timeout while the machine was created all the same",
     "Providers answer late, or not at all.",
     "Machines are looked for by their tag before one is created.",
     {"look for machines with the cluster's tag at the provider, and remove doubles"},
     "I7 I14",
     by_itself},
    {"P2",
     "a machine comes back with another address, MAC or disk order",
     "the machine is silent where it was and answers elsewhere",
     "Interfaces and disks are numbered at boot.",
     "Machines are told by UUID and serial; the address is bound again.",
     {"select disks by serial in PROFILE; `--address NODE=IP` if it is not found"},
     "I5",
     by_itself},
    {"P3",
     "the provider's credential expires, or a region fails",
     "401, 403 or 5xx in the middle",
     "A token of an hour, an outage.",
     "Stops; the next run goes on.",
     {"renew the credential, then `ichor up -p PROFILE`"},
     "I12",
     by_operator},
    {"P4",
     "taking down meets what is not ours",
     "the tag or the owner does not match",
     "A shared network, a machine that somebody put into the same place.",
     "Nothing without the cluster's tag is deleted.",
     {"remove it by hand if it shall go"},
     "I4",
     by_operator},
    {"P5",
     "user data configures the machine before ichor does",
     "the node is not in maintenance mode at the first contact",
     "The provider's metadata holds a machine config.",
     "As T4 and T5: the same config counts as done, another one stops.",
     {"leave the config out of the user data, or use `--config-dir` with the same one"},
     "I6",
     by_operator},
};

}  // namespace

std::vector<Fault> provider_faults() { return kRows; }

}  // namespace ichor
