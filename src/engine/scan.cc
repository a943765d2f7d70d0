#include "engine/scan.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "async/signal.h"
#include "async/task_group.h"

namespace ichor {

namespace {

constexpr int kUnsettledTries = 2;
/// Not worth a timer.
constexpr Duration kShort = std::chrono::milliseconds(2);

/// One pass is many workers that take the next address until there is none.
class Pass {
 public:
  Pass(Context context, Scout& scout, const AddressSet& addresses,
       const AddressScanOptions& options)
      : context_(context), scout_(scout), addresses_(addresses), options_(options) {}

  /// Looks at the addresses with these numbers; null: at all.
  Task<void> run(const std::vector<std::uint64_t>* numbers) {
    numbers_ = numbers;
    next_ = 0;
    count_ = numbers ? numbers->size() : addresses_.size();
    again_.clear();
    TaskGroup workers(context_);
    const auto hands =
        std::min<std::uint64_t>(count_, static_cast<std::uint64_t>(options_.at_once));
    for (std::uint64_t i = 0; i < hands; ++i) workers.spawn(work());
    co_await workers.join();
  }

  bool called_off() const { return context_.cancelled() || context_.expired(); }
  /// Numbers of the addresses that were silent, or spoke too slowly.
  std::vector<std::uint64_t> take_again() {
    std::sort(again_.begin(), again_.end());
    return std::move(again_);
  }
  const std::map<std::uint64_t, Sighting>& seen() const { return seen_; }
  const std::map<std::uint64_t, bool>& refused() const { return refused_; }

 private:
  Task<void> work() {
    while (next_ < count_ && !called_off()) {
      const std::uint64_t number = numbers_ ? (*numbers_)[next_] : next_;
      ++next_;
      co_await keep_pace();
      if (called_off()) {
        again_.push_back(number);
        co_return;
      }
      const IpAddress address(to_text(addresses_.at(number)));
      Sighting sighting = co_await scout_.probe(context_, address, options_.probe);
      note(number, std::move(sighting));
    }
  }

  /// Every start has a slot of its own.
  Task<void> keep_pace() {
    const MonoTime now = context_.now();
    MonoTime mine = now;
    if (!starts_.empty()) {
      mine = std::max(mine, starts_.back() + Duration(std::chrono::seconds(1)) / options_.peak);
    }
    if (starts_.size() >= static_cast<std::size_t>(options_.most)) {
      mine = std::max(mine, starts_.front() + options_.within);
      starts_.pop_front();
    }
    starts_.push_back(mine);
    if (mine > now + kShort) co_await sleep_until(context_, mine);
  }

  void note(std::uint64_t number, Sighting sighting) {
    refused_.erase(number);
    switch (sighting.kind) {
      case PeerKind::nothing: again_.push_back(number); return;
      case PeerKind::refused: refused_[number] = true; return;
      default: break;
    }
    // Once: who accepts a connection and says nothing would hold up every pass.
    const bool unsettled = sighting.trouble.has_value();
    if (unsettled && ++unsettled_[number] < kUnsettledTries) again_.push_back(number);
    // What an earlier pass found out is not lost to a bad moment.
    const auto known = seen_.find(number);
    const bool worse = unsettled && known != seen_.end() && known->second.is_talos();
    if (!worse) seen_[number] = std::move(sighting);
  }

  Context context_;
  Scout& scout_;
  const AddressSet& addresses_;
  const AddressScanOptions& options_;
  const std::vector<std::uint64_t>* numbers_{nullptr};
  std::uint64_t next_{0};
  std::uint64_t count_{0};
  std::deque<MonoTime> starts_;  // the last ones
  std::vector<std::uint64_t> again_;
  std::map<std::uint64_t, Sighting> seen_;
  std::map<std::uint64_t, bool> refused_;
  std::map<std::uint64_t, int> unsettled_;  // how often
};

std::vector<Sighting> values_of(const std::map<std::uint64_t, Sighting>& seen) {
  std::vector<Sighting> values;
  for (const auto& [number, sighting] : seen) values.push_back(sighting);
  return values;
}

}  // namespace

Task<ScanReport> scan(Context context, Scout& scout, AddressSet addresses,
                      AddressScanOptions options) {
  ScanReport report;
  report.addresses = addresses.size();
  Pass pass(context, scout, addresses, options);
  std::vector<std::uint64_t> again;
  for (report.passes = 0; report.passes < options.passes; ++report.passes) {
    if (report.passes > 0) {
      const bool settled =
          again.empty() || (options.enough && options.enough(values_of(pass.seen())));
      if (settled || pass.called_off()) break;
    }
    co_await pass.run(report.passes == 0 ? nullptr : &again);
    report.whole = report.whole || !pass.called_off();
    again = pass.take_again();
  }
  report.seen = values_of(pass.seen());
  report.refused = pass.refused().size();
  report.silent = report.addresses - report.refused - report.seen.size();
  co_return report;
}

}  // namespace ichor
