#include "run/each_cluster.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "async/task_group.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

/// How many clusters are worked on at the same time.
constexpr std::size_t kAtOnce = 4;
/// A whole bring-up with all its phases takes less; a run that waits longer has limits of its own.
constexpr Duration kLimit = std::chrono::hours(24);
/// A run that is asked to end does so within ten seconds.
constexpr Duration kGrace = std::chrono::seconds(15);

/// What became of one cluster.
struct ClusterEnd {
  int exit{static_cast<int>(Exit::interrupted)};
  double seconds{0};
  Json summary = Json::object();  // the last object of a run that speaks JSON
  std::string output;             // of one that speaks to people
};

/// The words without some flags and their values.
std::vector<std::string> without(const std::vector<std::string>& words,
                                 const std::set<std::string>& with_value,
                                 const std::string& switch_name) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == switch_name) continue;
    if (with_value.contains(word)) {
      ++i;
      continue;
    }
    const bool joined =
        std::any_of(with_value.begin(), with_value.end(), [&](const std::string& flag) {
          return flag.starts_with("--") ? word.starts_with(flag + "=")
                                        : word.starts_with(flag) && !word.starts_with("--");
        });
    if (!joined) kept.push_back(word);
  }
  return kept;
}

bool holds(const std::vector<std::string>& words, const std::string& flag) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == flag || word.starts_with(flag + "=");
  });
}

std::string verdict_of(int exit) {
  switch (static_cast<Exit>(exit)) {
    case Exit::done: return "done";
    case Exit::changes_pending: return "changes are pending";
    case Exit::findings: return "findings";
    case Exit::out_of_time: return "out of time";
    case Exit::unsafe: return "refused as unsafe";
    case Exit::cni_pending: return "control plane up, CNI pending";
    case Exit::usage: return "refused: wrong usage";
    case Exit::interrupted: return "interrupted";
    case Exit::terminated: return "terminated";
    case Exit::failed: break;
  }
  return "failed";
}

/// The runs of one command on several clusters.
class EachCluster {
 public:
  EachCluster(const std::vector<ListedCluster>& clusters, const std::vector<std::string>& words,
              const CommonOptions& common, std::string program, Host& host)
      : clusters_(clusters),
        words_(words),
        common_(common),
        program_(std::move(program)),
        host_(host),
        ends_(clusters.size()) {
    for (const ListedCluster& cluster : clusters) width_ = std::max(width_, cluster.name.size());
  }

  Exit run() {
    const double began = host_.environment.stopwatch();
    CancelScope scope;
    const int signal = host_.loop.drive(run_all(Context{&host_.loop.clock(), &scope}), scope);
    std::vector<int> exits;
    for (const ClusterEnd& end : ends_) exits.push_back(end.exit);
    Exit exit = common_exit(exits);
    if (signal != 0) exit = static_cast<Exit>(128 + signal);
    if (for_programs(common_.output)) {
      summarize(exit, host_.environment.stopwatch() - began);
    } else {
      tell_people();
    }
    return exit;
  }

 private:
  Task<void> run_all(Context context) {
    TaskGroup workers(context);
    for (std::size_t i = 0; i < std::min(kAtOnce, clusters_.size()); ++i) {
      workers.spawn(work(context));
    }
    co_await workers.join();
  }

  Task<void> work(Context context) {
    while (next_ < clusters_.size() && !context.cancelled()) {
      const std::size_t mine = next_++;
      co_await run_one(context, clusters_[mine], ends_[mine]);
    }
  }

  Task<void> run_one(Context context, const ListedCluster& cluster, ClusterEnd& end) {
    ProcessCall call;
    call.program = program_;
    call.arguments = words_for(words_, common_, cluster);
    call.inherits = true;
    call.limit = kLimit;
    call.grace = kGrace;
    call.output_line = [this, &cluster, &end](std::string_view line) {
      take_output(cluster, line, end);
    };
    call.error_line = [this, &cluster](std::string_view line) { say(cluster, line); };
    const double began = host_.environment.stopwatch();
    const auto done = co_await host_.programs.processes().run(context, std::move(call));
    end.seconds = host_.environment.stopwatch() - began;
    end.exit = done ? done->exit : static_cast<int>(Exit::failed);
    if (!done) say(cluster, done.error().message);
    if (for_programs(common_.output)) co_return;
    // Whole, so that two clusters are never mixed in it.
    if (!end.output.empty()) {
      host_.terminal.out() << fmt::format("== {}\n{}", cluster.name, end.output) << std::flush;
    }
  }

  void say(const ListedCluster& cluster, std::string_view line) {
    host_.terminal.err() << fmt::format("{:<{}} | {}\n", cluster.name, width_, line) << std::flush;
  }

  void take_output(const ListedCluster& cluster, std::string_view line, ClusterEnd& end) {
    if (!for_programs(common_.output)) {
      end.output.append(line).append("\n");
      return;
    }
    Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return;
    Json object;
    object["type"] = said.value("type", "");
    object["cluster"] = cluster.name;
    for (const auto& [key, value] : said.items()) {
      if (key != "type" && key != "cluster") object[key] = value;
    }
    if (object["type"] == "summary") {
      object["type"] = "cluster";
      end.summary = object;
    }
    host_.terminal.out() << object.dump(-1, ' ', true, Json::error_handler_t::replace) << "\n"
                         << std::flush;
  }

  void summarize(Exit exit, double seconds) {
    Json line;
    line["type"] = "summary";
    line["ok"] = exit == Exit::done;
    line["exit"] = static_cast<int>(exit);
    std::int64_t mutations = 0;
    Json clusters = Json::object();
    Json nodes = Json::object();
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const ClusterEnd& end = ends_[i];
      const std::string& name = clusters_[i].name;
      mutations += end.summary.value("mutations", std::int64_t{0});
      clusters[name] = {{"ok", end.exit == 0},
                        {"exit", end.exit},
                        {"seconds", end.seconds},
                        {"verdict", end.summary.value("verdict", verdict_of(end.exit))}};
      const Json seen = end.summary.value("nodes", Json::object());
      for (const auto& [node, state] : seen.items()) {
        nodes[name + "/" + node] = state;
      }
    }
    line["mutations"] = mutations;
    line["nodes"] = std::move(nodes);
    line["seconds"] = seconds;
    line["clusters"] = std::move(clusters);
    host_.terminal.out() << line.dump(-1, ' ', true, Json::error_handler_t::replace) << "\n";
  }

  void tell_people() {
    if (common_.quiet) return;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      host_.terminal.err() << fmt::format("{:<{}}  exit {}: {}, {:.0f} s\n", clusters_[i].name,
                                          width_, ends_[i].exit, verdict_of(ends_[i].exit),
                                          ends_[i].seconds);
    }
  }

  const std::vector<ListedCluster>& clusters_;
  const std::vector<std::string>& words_;
  const CommonOptions& common_;
  std::string program_;
  Host& host_;
  std::vector<ClusterEnd> ends_;
  std::size_t next_{0};
  std::size_t width_{0};
};

}  // namespace

std::vector<std::string> words_for(const std::vector<std::string>& words,
                                   const CommonOptions& common, const ListedCluster& cluster) {
  std::vector<std::string> own =
      without(words, {"--cluster", "--state-dir", "--lab-state", "-o", "--output"}, "--all");
  own.insert(own.end(), {"--profile", cluster.profile, "--cluster", cluster.name});
  if (!common.state_dir.empty()) {
    own.insert(own.end(), {"--state-dir", common.state_dir + "/" + cluster.name});
  }
  if (!common.lab_state.empty()) {
    own.insert(own.end(), {"--lab-state", common.lab_state + "/" + cluster.name});
  }
  if (common.command == "up" && !holds(own, "--kubeconfig")) {
    const bool on_temporary_lab = common.lab_state.empty() && holds(own, "--lab");
    const std::string folder = common.lab_state.empty() ? "kubernetes" : common.lab_state;
    if (!on_temporary_lab) own.insert(own.end(), {"--kubeconfig", folder + "/kubeconfig"});
  }
  if (for_programs(common.output)) own.insert(own.end(), {"--output", "json"});
  return own;
}

Exit common_exit(const std::vector<int>& exits) {
  const bool alike =
      std::all_of(exits.begin(), exits.end(), [&](int exit) { return exit == exits.front(); });
  if (exits.empty() || !alike) return Exit::failed;
  return exits.front() > 255 ? Exit::failed : static_cast<Exit>(exits.front());
}

Exit run_on_each(const std::vector<ListedCluster>& clusters, const std::vector<std::string>& words,
                 const CommonOptions& common, Host& host) {
  const auto program = host.environment.program();
  if (!program) {
    host.terminal.err() << program.error().message << "\n";
    return Exit::failed;
  }
  return EachCluster(clusters, words, common, *program, host).run();
}

}  // namespace ichor
