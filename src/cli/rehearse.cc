#include "cli/command_list.h"
#include "cli/seed_range.h"

namespace ichor {

namespace {

/// Each is kept until the end, with the times of its steps.
constexpr std::uint64_t kSeedsMax = 1'000'000;

/// "200": the first 200 seeds. "5..9": these.
std::string take_seeds(const std::string& text, SeedRange& range) {
  const auto count = to_seed(text);
  if (count && *count > 0) {
    range = {1, *count};
  } else if (std::string wrong = take_range(text, range); count || !wrong.empty()) {
    return "\"" + text + "\" is neither a number of seeds such as 200 nor a range such as 1..200";
  }
  return range.last - range.first < kSeedsMax ? "" : "at most 1000000 seeds at once";
}

}  // namespace

void declare_rehearse(FlagSet& flags, Request& request) {
  RehearseRequest& rehearse = request.emplace<RehearseRequest>();
  rehearse.seeds = {1, 200};
  flags.value("--seeds", "N",
              [&rehearse](const std::string& text) { return take_seeds(text, rehearse.seeds); });
  flags.text("--faults", "LIST", rehearse.faults);
  flags.text("--html", "FILE", rehearse.html);
  flags.number("--jobs", "N", 1, 1024,
               [&rehearse](std::int64_t jobs) { rehearse.jobs = static_cast<int>(jobs); });
}

}  // namespace ichor
