#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"
#include "phase/phase.h"

namespace ichor {

/// What became of one check. Only what was seen passes.
enum class Verdict { passed, warning, failed, not_applicable, skipped };

std::string_view name_of(Verdict verdict);

struct Check {
  std::string name;  // "install disk"
  Verdict verdict{Verdict::skipped};
  std::string detail;  // what was seen, or why it was not looked at
  Finding finding{};   // with warning and failed
};

/// Everything that can be said about a node before its config goes out, all at once.
std::vector<Check> preflight_checks(const Wanted& wanted, const NodePlan& plan,
                                    const NodeView& view);

/// Talos' own minimums: a node below them does not start its services.
inline constexpr std::uint64_t kControlPlaneMemory = 1698ull << 20;
inline constexpr std::uint64_t kWorkerMemory = 874ull << 20;
/// EPHEMERAL's minimum, and what the system's other partitions take.
inline constexpr std::uint64_t kDiskMinimum = (3932ull + 2310ull) << 20;

}  // namespace ichor
