#include "machineconfig/rules.h"

#include <algorithm>
#include <array>

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
constexpr std::array<Rules, 3> kRules = {kTalos12, kTalos13, kTalos14};

static_assert(kRules.front().minor == Schema::kOldestMinor);
static_assert(kRules.back().minor == Schema::kNewestMinor);

}  // namespace

const Rules& rules_of(int minor) {
  const int known = std::clamp(minor, Schema::kOldestMinor, Schema::kNewestMinor);
  return kRules[static_cast<std::size_t>(known - Schema::kOldestMinor)];
}

}  // namespace ichor
