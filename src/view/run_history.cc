#include "view/run_history.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

#include "model/finding_record.h"
#include "model/run_record.h"

namespace ichor {

namespace {

/// A run number has fewer digits than any run id.
constexpr std::size_t kNumberDigitsMax = 6;
/// What of a digest tells two of them apart for people.
constexpr std::size_t kDigestShown = 12;

std::optional<std::size_t> number_in(const std::string& text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc() && read == end && text.size() <= kNumberDigitsMax;
  return is_number ? std::optional(number) : std::nullopt;
}

/// What is said of a run, by what it is about; in the order in which differences are listed.
class Traits {
 public:
  /// `runs` up to and with the run: what an earlier one fixed holds for it, too.
  Traits(const std::vector<JournalRun>& runs, std::size_t place) {
    const RunEntry entry = run_entries(runs)[place];
    set("command", entry.command);
    set("exit", entry.exit ? fmt::to_string(*entry.exit) : "none");
    set("verdict", entry.verdict);
    const auto took = std::chrono::milliseconds(entry.took_ms);
    took_["duration"] = took;
    set("duration", to_text(took));
    set("mutations", fmt::to_string(entry.mutations));
    for (std::size_t i = 0; i <= place; ++i) take_fixed(runs[i]);
    const JournalRun& run = runs[place];
    if (const JournalRecord* started = find_record(run, RecordKind::run_started)) {
      set("plan", started->value.substr(0, kDigestShown));
    }
    set("versions", observed_value(run, kVersionsKey));
    set("etcd members", observed_value(run, kMembersKey));
    for (const JournalRecord* record : run) take(*record);
  }

  std::vector<RunDifference> against(const Traits& after) const {
    std::vector<RunDifference> differences;
    std::vector<std::string> keys = order_;
    for (const std::string& key : after.order_) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    for (const std::string& key : keys) {
      const std::string one = get(key), other = after.get(key);
      const bool same = one == other || nearly(key, after);
      if (!same) differences.push_back({key, one, other});
    }
    return differences;
  }

 private:
  void set(const std::string& key, std::string value) {
    if (value.empty()) return;
    if (values_.insert_or_assign(key, std::move(value)).second) order_.push_back(key);
  }
  std::string get(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
  }

  void take_fixed(const JournalRun& run) {
    for (const JournalRecord* record : run) {
      if (record->kind == RecordKind::secrets_fixed) {
        set("secrets", record->value.substr(0, kDigestShown));
      } else if (record->kind == RecordKind::contract_fixed) {
        set("contract", record->value);
      } else if (record->kind == RecordKind::bootstrap_target) {
        set("bootstrap target", record->node.value());
      } else if (record->kind == RecordKind::intent && record->call == Call::apply_configuration) {
        set("config of " + record->node.value(), record->value.substr(0, kDigestShown));
      }
    }
  }

  void take(const JournalRecord& record) {
    if (is_step(record)) {
      const StepFact fact = step_in(record);
      const std::string& node = record.node.value();
      const std::string key = "step " + fact.step + (node.empty() ? "" : " of " + node);
      took_[key] = fact.took;
      set(key, fmt::format("{} in {}{}", fact.end, to_text(fact.took),
                           fact.retries == 0 ? "" : fmt::format(", {} retries", fact.retries)));
    } else if (record.kind == RecordKind::observed && record.key.starts_with(kFindingKey)) {
      const Finding finding = finding_in(record);
      const std::string& node = finding.node.value();
      set("fault " + finding.id + (node.empty() ? "" : " of " + node), finding.what);
    }
  }

  /// Times that differ by less than a second are the same.
  bool nearly(const std::string& key, const Traits& other) const {
    const auto one = took_.find(key), two = other.took_.find(key);
    if (one == took_.end() || two == other.took_.end()) return false;
    const Duration apart =
        one->second > two->second ? one->second - two->second : two->second - one->second;
    const auto end_of = [](const std::string& text) { return text.substr(0, text.find(" in ")); };
    const bool same_end = key == "duration" || end_of(get(key)) == end_of(other.get(key));
    return apart < std::chrono::seconds(1) && same_end;
  }

  std::map<std::string, std::string> values_;
  std::map<std::string, Duration> took_;
  std::vector<std::string> order_;
};

}  // namespace

std::string observed_value(const JournalRun& run, std::string_view key) {
  for (const JournalRecord* record : run) {
    if (record->kind == RecordKind::observed && record->key == key) return record->value;
  }
  return {};
}

std::vector<RunEntry> run_entries(const std::vector<JournalRun>& runs) {
  std::vector<RunEntry> entries;
  for (const JournalRun& run : runs) {
    RunEntry& entry = entries.emplace_back();
    entry.number = entries.size();
    entry.id = run.front()->run.value();
    entry.began_ms = run.front()->wall_ms;
    entry.took_ms = std::max<std::int64_t>(run.back()->wall_ms - entry.began_ms, 0);
    entry.command = observed_value(run, kCommandKey);
    entry.mutations =
        static_cast<int>(std::count_if(run.begin(), run.end(), [](const JournalRecord* record) {
          return record->kind == RecordKind::intent;
        }));
    const JournalRecord* ended = find_record(run, RecordKind::run_ended);
    entry.verdict = ended ? ended->value : "did not end: it was killed, or it still runs";
    int exit = 0;
    if (!ended) continue;
    const char* const end = ended->key.data() + ended->key.size();
    if (std::from_chars(ended->key.data(), end, exit).ec == std::errc()) entry.exit = exit;
  }
  return entries;
}

std::optional<std::size_t> find_run(const std::vector<JournalRun>& runs, const std::string& text) {
  const auto number = number_in(text);
  if (number && *number >= 1 && *number <= runs.size()) return *number - 1;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& id = runs[i].front()->run.value();
    if (id == text) return i;
    if (text.empty() || !id.starts_with(text)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::vector<RunDifference> run_differences(const std::vector<JournalRun>& runs, std::size_t before,
                                           std::size_t after) {
  return Traits(runs, before).against(Traits(runs, after));
}

}  // namespace ichor
