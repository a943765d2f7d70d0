#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <set>

#include "base/check.h"
#include "base/words.h"
#include "cluster/machine_search.h"
#include "command/commands.h"
#include "run/partial_run.h"
#include "run/vm_search.h"

namespace ichor {

namespace {

/// A pause of --watch: machines boot in half a minute.
constexpr Duration kWatchPause = std::chrono::seconds(3);

/// One search, or with --watch as many as are needed.
class Search {
 public:
  Search(Finder& finder, const ClusterProfile& profile, const JournalFacts& facts,
         const ScanOptions& options, Host& host)
      : finder_(finder), profile_(profile), facts_(facts), options_(options), host_(host) {}

  /// Ends by itself; the result is the number of a signal, or 0.
  int run() {
    CancelScope scope;
    const Context context{&host_.loop.clock(), &scope};
    return host_.loop.drive(look(context), scope);
  }

  const std::vector<Sighting>& seen() const {
    static const std::vector<Sighting> nobody;
    return finder_.report() ? finder_.report()->seen : nobody;
  }
  MachineMatch match() const { return finder_.match(profile_, facts_); }

 private:
  Task<void> look(Context context) {
    const Context limited = context.within(profile_.budgets.discover);
    while (true) {
      // A single search has the time that it needs.
      co_await finder_.look(options_.watch ? limited : context, profile_, facts_);
      announce();
      if (!options_.watch || is_enough() || context.cancelled()) co_return;
      const Wake wake = co_await sleep_for(limited, kWatchPause);
      if (wake != Wake::signalled) co_return;
    }
  }

  bool is_enough() const {
    if (!profile_.nodes.empty()) return match().missing.empty();
    const auto ready = std::count_if(seen().begin(), seen().end(), [](const Sighting& sight) {
      return sight.kind == PeerKind::maintenance;
    });
    return options_.count && ready >= *options_.count;
  }

  /// Says of everybody that is new who it is.
  void announce() {
    if (!options_.watch) return;
    const MachineMatch matched = match();
    for (std::size_t i = 0; i < seen().size(); ++i) {
      const Sighting& sight = seen()[i];
      if (!known_.insert(sight.address.value() + std::string(name_of(sight.kind))).second) continue;
      const NodeName* node = matched.node_of(i);
      Event event;
      event.kind = EventKind::waiting;
      event.at = host_.loop.clock().now();
      event.phase = "discover";
      if (node) event.node = *node;
      event.text = fmt::format("{}: {}{}", sight.address.value(), name_of(sight.kind),
                               node ? ", " + matched.proof.at(*node) : std::string());
      host_.terminal.display().emit(event);
    }
  }

  Finder& finder_;
  const ClusterProfile& profile_;
  const JournalFacts& facts_;
  const ScanOptions& options_;
  Host& host_;
  std::set<std::string> known_;
};

/// "6 in maintenance mode, 1 foreign, 2 other": whoever there is.
std::string count_text(const std::vector<Sighting>& seen) {
  std::string text;
  for (const auto& [kind, words] : {std::pair{PeerKind::maintenance, "in maintenance mode"},
                                    std::pair{PeerKind::ours, "of this cluster"},
                                    std::pair{PeerKind::foreign, "of another cluster"},
                                    std::pair{PeerKind::other, "not Talos"}}) {
    const auto count =
        std::count_if(seen.begin(), seen.end(),
                      [kind = kind](const Sighting& sight) { return sight.kind == kind; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
  }
  return text.empty() ? "nothing answers on port 50000" : text;
}

OrEnd<void> write_found(const ScanOptions& options, const std::vector<Sighting>& seen, Host& host) {
  if (options.write.empty()) return {};
  const SecretString text(profile_of(seen, options.addresses));
  if (auto written = host.files.create_private(options.write, text, false); !written) {
    return end_with(Exit::failed, fmt::format("{} already exists, and discover does not write "
                                              "over it; name another file",
                                              options.write));
  }
  return {};
}

/// What a search without nodes of a profile comes to.
Exit tell_found(const DiscoverRequest& request, const Search& search, Host& host) {
  host.terminal.display().show(machine_listing(search.seen(), search.match()));
  if (auto written = write_found(request.scan, search.seen(), host); !written) {
    return finish(std::move(written).error(), host.terminal);
  }
  Summary summary;
  summary.result.exit = Exit::done;
  summary.result.findings = search.match().findings;
  summary.result.verdict = count_text(search.seen());
  if (!request.scan.write.empty()) {
    summary.written.emplace_back("profile", request.scan.write);
    summary.next = {fmt::format("ichor lint -p {}  # after the names are filled in",
                                shell_quoted(request.scan.write))};
  }
  return finish(std::move(summary), host.terminal);
}

std::optional<RunResult> ended_by(int signal) {
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated").value();
  if (signal != 0) return end_with(Exit::interrupted, "interrupted").value();
  return std::nullopt;
}

/// There are machines and no profile yet.
Exit scan_alone(const DiscoverRequest& request, Host& host) {
  auto apis = host.network.reach({});
  if (!apis) return finish(end_with(apis.error()).value(), host.terminal);
  const ClusterProfile nobody;
  const JournalFacts nothing;
  const auto finder = make_finder(nobody, request.scan, **apis);
  check(finder != nullptr, "the addresses were read before");
  Search search(*finder, nobody, nothing, request.scan, host);
  if (auto ended = ended_by(search.run())) return finish(*std::move(ended), host.terminal);
  return tell_found(request, search, host);
}

/// Whoever was seen besides the nodes, so that it is known why one of them was not found.
void show_others(const ProfileInput& input, const Workspace& space, Host& host) {
  if (!space.finder || !space.finder->report()) return;
  const std::vector<Sighting>& seen = space.finder->report()->seen;
  const MachineMatch match = space.finder->match(input.profile, space.facts);
  if (match.machine_of.size() < seen.size())
    host.terminal.display().show(machine_listing(seen, match));
}

void show_nodes(const ProfileInput& input, const Workspace& space, const ClusterView& seen,
                Host& host) {
  Listing listing = node_listing(input.profile, space.configs, seen);
  listing.columns = {
      {"node", "NODE"},          {"address", "ADDRESS"},         {"role", "ROLE", true},
      {"seen", "SEEN"},          {"stage", "STAGE", true},       {"version", "VERSION", true},
      {"uuid", "UUID"},          {"serial", "SERIAL"},           {"macs", "MACS"},
      {"boot_id", "BOOT", true}, {"fingerprint", "FINGERPRINT"}, {"trouble", "TROUBLE", true}};
  host.terminal.display().show(listing);
}

/// Who is there, and which of them are the profile's nodes. Nothing: the nodes may be bound.
std::optional<RunResult> scan_for(const DiscoverRequest& request, const ProfileInput& input,
                                  Workspace& space, Host& host) {
  Search search(*space.finder, input.profile, space.facts, request.scan, host);
  if (auto ended = ended_by(search.run())) return ended;
  const MachineMatch match = search.match();
  host.terminal.display().show(machine_listing(search.seen(), match));
  if (auto written = write_found(request.scan, search.seen(), host); !written) {
    return std::move(written).error();
  }
  if (match.complete()) {
    space.findings.insert(space.findings.end(), match.findings.begin(), match.findings.end());
    return std::nullopt;
  }
  if (!match.matrix.empty()) host.terminal.display().show(match_listing(match));
  return uncertain(input.profile, match);
}

}  // namespace

Exit run(const DiscoverRequest& request, const CommonOptions& common, Host& host) {
  const bool scans = !request.scan.addresses.empty();
  if (scans && !host.files.has_file(common.profile) && common.lab_state.empty()) {
    return scan_alone(request, host);
  }
  auto input = read_profile_input(common, {request.nodes, {}, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  if (request.scan.count) {
    return finish(end_with(Exit::usage,
                           fmt::format("--count is for a search without a profile; with {} --watch "
                                       "waits for its {} nodes",
                                       common.profile, input->profile.nodes.size()))
                      .value(),
                  host.terminal);
  }
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  auto space = open_workspace(*input, target->workspace_options(), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  if (scans || space->finder) {
    space->finder = make_finder(input->profile, request.scan, *space->apis, input->scan);
    check(space->finder != nullptr, "the addresses were read before");
  }
  if (auto learned = learn_vms(*input, *target, *space, host); !learned) {
    return finish(summary_of(*input, std::move(learned).error()), host.terminal);
  }
  // On a lab, and behind endpoints, nodes are where they are; the phase waits for them.
  const bool searches = scans || (request.scan.watch && space->finder);
  if (searches) {
    if (auto ended = scan_for(request, *input, *space, host)) {
      return finish(summary_of(*input, *std::move(ended)), host.terminal);
    }
  }
  RunResult result = run_engine(input->profile, *space, {{"discover"}, false}, host);
  // What is known is shown also of a run that did not find everything.
  if (result.exit != Exit::interrupted && result.exit != Exit::terminated) {
    auto seen = look_around(input->profile, *space, host);
    if (!seen) return finish(std::move(seen).error(), host.terminal);
    if (!searches) show_others(*input, *space, host);
    show_nodes(*input, *space, *seen, host);
  }
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
