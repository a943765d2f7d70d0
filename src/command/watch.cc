#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "async/signal.h"
#include "base/clean_text.h"
#include "cluster/journal_input.h"
#include "command/commands.h"
#include "model/run_record.h"
#include "port/journal.h"
#include "run/finish.h"
#include "view/run_history.h"

namespace ichor {

namespace {

/// A run writes a record every few seconds at most; a look costs a read of the journal.
constexpr Duration kLookEvery = std::chrono::milliseconds(500);

/// After so long without a record the lock says whether the run still lives.
constexpr Duration kSilence = std::chrono::seconds(5);

/// Follows the newest run of a journal that another process writes.
class Follower {
 public:
  Follower(Journal& journal, std::string cluster, const CommonOptions& common, Host& host)
      : journal_(journal),
        cluster_(std::move(cluster)),
        common_(common),
        host_(host),
        machine_(host.environment.owner().host) {}

  Task<void> follow(Context context) {
    for (;;) {
      // Before the records: a run that has given its lock back has written its end already.
      const bool held = co_await may_live(context);
      auto records = co_await journal_.read(context);
      if (!records) {
        end_ = end_with(records.error()).value();
        co_return;
      }
      look(*std::move(records), held);
      if (end_) co_return;
      if (co_await sleep_for(context, kLookEvery) == Wake::cancelled) co_return;
    }
  }

  /// How the command ends; nothing if it was interrupted.
  std::optional<RunResult>& end() { return end_; }
  const nlohmann::ordered_json& figures() const { return figures_; }

 private:
  /// Whether the process of the run may still live; one on another machine cannot be asked. Not
  /// asked while records come: they prove it.
  Task<bool> may_live(Context context) {
    if (!id_.empty() && context.now() - news_at_ < kSilence) co_return true;
    const auto holder = co_await journal_.holder(context);
    if (!holder) co_return true;
    co_return holder->has_value() && ((*holder)->runs_here || (*holder)->owner.host != machine_);
  }

  void look(std::vector<JournalRecord> records, bool held) {
    const std::vector<JournalRun> runs = runs_of(records);
    const bool idle = runs.empty() || find_record(runs.back(), RecordKind::run_ended) != nullptr;
    if (id_.empty() && idle) {
      // A run takes the lock before it writes its first record.
      if (!held) nothing_runs(runs);
      return;
    }
    if (id_.empty()) id_ = runs.back().front()->run.value();
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const JournalRun& one) {
      return one.front()->run.value() == id_;
    });
    const auto place = static_cast<std::size_t>(run - runs.begin());
    show(*run, place + 1);
    const RunEntry entry = run_entries(runs)[place];
    if (entry.exit) {
      ended(entry);
    } else if (!held || &*run != &runs.back()) {
      gone(entry);
    }
  }

  void show(const JournalRun& run, std::size_t number) {
    if (shown_ == 0 && !for_programs(common_.output)) {
      const std::string command = observed_value(run, kCommandKey);
      host_.terminal.out() << fmt::format("run {} of {}{}, since {}\n", number, cluster_,
                                          command.empty() ? "" : ": ichor " + clean_text(command),
                                          utc_text(run.front()->wall_ms));
    }
    if (shown_ < run.size()) news_at_ = host_.loop.clock().now();
    for (; shown_ < run.size(); ++shown_) show_one(run, *run[shown_]);
    host_.terminal.out().flush();
  }

  void show_one(const JournalRun& run, const JournalRecord& record) {
    if (for_programs(common_.output)) {
      host_.terminal.display().show(History{cluster_, {record}});
      return;
    }
    const std::string text = live_text(run, record);
    if (text.empty()) return;
    const std::string& node = record.node.value();
    host_.terminal.out() << clean_text(
                                fmt::format("{:>8}  {}{}",
                                            "+" + spent_text(run.front()->wall_ms, record.wall_ms),
                                            node.empty() ? "" : node + ": ", text))
                         << '\n';
  }

  void nothing_runs(const std::vector<JournalRun>& runs) {
    const std::string last =
        runs.empty() ? "" : fmt::format("; the last run: {}", verdict_text(runs.back()));
    end_ =
        end_with(Exit::failed, fmt::format("no run of {} is under way{}", cluster_, last)).value();
  }

  void ended(const RunEntry& entry) {
    note(entry);
    end_ =
        end_with(Exit::done, fmt::format("run {} ended with exit {} after {}: {}", entry.number,
                                         *entry.exit, spent_text(0, entry.took_ms), entry.verdict))
            .value();
  }

  void gone(const RunEntry& entry) {
    note(entry);
    end_ = end_with(Exit::failed,
                    fmt::format("run {} did not end: its process is gone; `ichor up` continues "
                                "where it was",
                                entry.number))
               .value();
  }

  void note(const RunEntry& entry) {
    figures_["run"]["number"] = entry.number;
    figures_["run"]["id"] = entry.id;
    figures_["run"]["exit"] = entry.exit ? nlohmann::ordered_json(*entry.exit) : nullptr;
  }

  Journal& journal_;
  std::string cluster_;
  const CommonOptions& common_;
  Host& host_;
  std::string machine_;  // that this process runs on
  std::string id_;       // of the run that is followed
  MonoTime news_at_{};
  std::size_t shown_{0};
  std::optional<RunResult> end_;
  nlohmann::ordered_json figures_ = nlohmann::ordered_json::object();
};

}  // namespace

Exit run(const WatchRequest&, const CommonOptions& common, Host& host) {
  const auto journal = open_journal(common, host);
  if (!journal) return finish(journal.error(), host.terminal);
  Follower follower(journal->state->journal(), journal->input.profile.name, common, host);
  CancelScope scope;
  const int signal = host.loop.drive(follower.follow(Context{&host.loop.clock(), &scope}), scope);
  if (!follower.end()) {
    const bool told = signal == SIGTERM;
    return finish(
        end_with(told ? Exit::terminated : Exit::interrupted, "stopped watching; the run continues")
            .value(),
        host.terminal);
  }
  Summary summary = summary_of(journal->input, *std::move(follower.end()));
  summary.figures = follower.figures();
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
