#include "doctor/fault.h"

#include <algorithm>
#include <array>

#include "doctor/fault_tables.h"

namespace ichor {

namespace {

std::vector<Fault> join() {
  std::vector<Fault> all;
  for (auto* table :
       {network_faults, trust_faults, machine_faults, etcd_faults, api_faults, local_faults,
        config_faults, kubernetes_faults, operator_faults, provider_faults, upgrade_faults}) {
    std::vector<Fault> rows = table();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

template <class Row>
const Row* find_row(std::span<const Row> rows, std::string_view id) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(Recovery recovery) {
  switch (recovery) {
    case Recovery::by_itself: return "by itself";
    case Recovery::by_operator: return "by the operator";
    case Recovery::before_start: return "before anything is changed";
  }
  return "?";
}

std::span<const Fault> faults() {
  static const std::vector<Fault> rows = join();
  return rows;
}

std::span<const Invariant> invariants() {
  static const std::vector<Invariant> rows = all_invariants();
  return rows;
}

std::span<const FaultFamily> fault_families() {
  static constexpr std::array<FaultFamily, 11> families{{{'N', "the network to the nodes"},
                                                         {'T', "trust: keys, certificates, time"},
                                                         {'D', "machines and disks"},
                                                         {'E', "etcd"},
                                                         {'A', "answers of the Talos API"},
                                                         {'L', "the machine ichor runs on"},
                                                         {'C', "profiles, templates, configs"},
                                                         {'K', "Kubernetes"},
                                                         {'O', "operators"},
                                                         {'P', "providers of machines"},
                                                         {'U', "upgrades"}}};
  return families;
}

const Fault* find_fault(std::string_view id) { return find_row(faults(), id); }
const Invariant* find_invariant(std::string_view id) { return find_row(invariants(), id); }

bool is_fault_id(std::string_view id) {
  if (id.size() < 2 || id.front() < 'A' || id.front() > 'Z') return false;
  return id.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace ichor
