#include "machineconfig/rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "machineconfig/schema.h"

namespace ichor {

namespace {

using schema::Schema;

constexpr Rules kTalos12 = {.minor = 12, .reads_client_identity = true};
constexpr Rules kTalos13 = {.minor = 13, .lists_arguments = true, .reads_client_identity = true};
constexpr Rules kTalos14 = {.minor = 14,
                            .refuses_empty_items = true,
                            .refuses_dates = true,
                            .lists_arguments = true,
                            .repeats_documents = true,
                            .ignores_absent_documents = true,
                            .complete_without_v1alpha1 = true,
                            .splits_ephemeral = true,
                            .secures_directories = true,
                            .btrfs_volumes = true,
                            .installs_from_factory = true};
/// A release that reads configs as the one before it has no row.
constexpr std::array<Rules, 3> kChanged = {kTalos12, kTalos13, kTalos14};
static_assert(kChanged.front().minor == Schema::kOldestMinor);

constexpr Rules rules_for(int minor) {
  Rules rules;
  for (const Rules& changed : kChanged) {
    if (changed.minor <= minor) rules = changed;
  }
  rules.minor = minor;
  return rules;
}

template <std::size_t... At>
constexpr std::array<Rules, sizeof...(At)> all_rules(std::index_sequence<At...>) {
  return {{rules_for(Schema::kOldestMinor + static_cast<int>(At))...}};
}

constexpr auto kRules =
    all_rules(std::make_index_sequence<Schema::kNewestMinor - Schema::kOldestMinor + 1>());

}  // namespace

const Rules& rules_of(int minor) {
  const int known = std::clamp(minor, Schema::kOldestMinor, Schema::kNewestMinor);
  return kRules[static_cast<std::size_t>(known - Schema::kOldestMinor)];
}

}  // namespace ichor
