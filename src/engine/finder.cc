#include "engine/finder.h"

#include <algorithm>
#include <utility>

namespace ichor {

namespace {

/// Between two scans. A machine that was just switched on needs half a minute to its API, and one
/// that is off need not be looked for all the time.
constexpr Duration kPauseMin = std::chrono::seconds(5);
constexpr Duration kPauseMax = std::chrono::seconds(30);

}  // namespace

/// The scan of one actor, for which the others wait.
struct Finder::Turn {
  explicit Turn(Finder& finder) : finder(finder) { finder.scanning_ = true; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    finder.scanning_ = false;
    finder.done_.notify_all();
  }
  Finder& finder;
};

Finder::Finder(Scout& scout, Places places, AddressScanOptions options, MatchOptions match)
    : scout_(scout), places_(std::move(places)), options_(std::move(options)), match_(match) {}

void Finder::look_first_at(const std::vector<IpAddress>& addresses) {
  if (places_.first.empty()) return;
  for (const IpAddress& address : addresses) {
    if (const auto ip = parse_ip(address.value())) places_.first.add(*ip);
  }
}

bool Finder::is_fresh(MonoTime now) const { return report_ && now - ended_ < pause_; }

MachineMatch Finder::match(const ClusterProfile& profile, const JournalFacts& facts) const {
  static const std::vector<Sighting> nothing;
  return match_machines(profile, facts, report_ ? report_->seen : nothing, match_);
}

Task<void> Finder::look(Context context, const ClusterProfile& profile, const JournalFacts& facts) {
  const Turn turn(*this);
  AddressScanOptions options = options_;
  options.enough = [&](const std::vector<Sighting>& seen) {
    const MachineMatch match = match_machines(profile, facts, seen, match_);
    return match.missing.empty();
  };
  ScanReport report;
  if (!places_.first.empty()) {
    AddressScanOptions quick = options;
    quick.passes = 1;
    report = co_await scan(context, scout_, places_.first, std::move(quick));
  }
  if (!report.whole || !options.enough(report.seen)) {
    report = co_await scan(context, scout_, places_.all, std::move(options));
  }
  // Half a scan says nothing about the machines that it did not come to.
  if (!report.whole && report_) co_return;
  report_ = std::move(report);
  ended_ = context.now();
  pause_ = std::clamp(2 * pause_, kPauseMin, kPauseMax);
}

Task<std::optional<IpAddress>> Finder::find(Context context, const ClusterProfile& profile,
                                            const NodePlan& plan, const JournalFacts& facts) {
  while (scanning_) {
    const Wake wake = co_await done_.wait(context);
    if (wake != Wake::signalled) co_return std::nullopt;
  }
  if (!is_fresh(context.now())) co_await look(context, profile, facts);
  if (!report_) co_return std::nullopt;
  const MachineMatch found = match(profile, facts);
  const auto machine = found.machine_of.find(plan.name);
  if (machine == found.machine_of.end()) co_return std::nullopt;
  co_return report_->seen[machine->second].address;
}

}  // namespace ichor
