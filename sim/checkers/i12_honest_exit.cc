#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

namespace {

/// How long before the exit a postcondition may have stopped to hold: what ichor saw a moment ago
/// can have changed since, and no observer can do better.
constexpr Duration kSeenWithin = std::chrono::seconds(30);

const Caller kAdmin{.anonymous = false, .admin = true, .reader = true};

/// One postcondition over time.
class Condition {
 public:
  void set(bool holds, MonoTime now) {
    if (holds_ && !holds) ended_at_ = now;
    holds_ = holds;
    ever_ = ever_ || holds;
  }
  bool held_since(MonoTime from) const { return holds_ || (ever_ && ended_at_ >= from); }

 private:
  bool holds_{false};
  bool ever_{false};
  MonoTime ended_at_{};
};

}  // namespace

class HonestExit final : public Checker {
 public:
  explicit HonestExit(const Truth& truth) : Checker(truth), nodes_(truth) {}

  std::string_view id() const override { return "I12"; }
  std::string_view promise() const override {
    return "exit 0 says that everything asked for is true, and any other exit says why not";
  }

  void on_durable(const JournalRecord& record) override {
    if (record.kind != RecordKind::node_excluded) return;
    if (State* state = nodes_.find(record.node)) state->excluded = true;
  }

  void on_node_changed(const Node& node) override {
    State* state = nodes_.find(node);
    if (state == nullptr) return;
    const MonoTime now = truth().clock.now();
    state->up.set(is_up(node, *state), now);
    api_answers_.set(some_api_server_answers(), now);
    follow_etcd(now);
  }

  void on_process_ended(int process, const RunResult& result) override {
    if (result.exit != Exit::done && result.exit != Exit::cni_pending) {
      if (result.verdict.empty()) {
        violated(fmt::format("run {} ended with {} and no verdict", process,
                             static_cast<int>(result.exit)));
      }
      return;
    }
    for (const auto& node : truth().nodes) on_node_changed(*node);
    const MonoTime now = truth().clock.now();
    etcd_is_whole_.set(etcd_is_whole(), now);
    // Kubernetes comes after the nodes; of those, what was seen when their part was over.
    const MonoTime begun = started_[process];
    check_success(process, truth().kube ? std::min(begun, now - kSeenWithin) : now - kSeenWithin);
  }
  void on_process_started(int process) override { started_[process] = truth().clock.now(); }

 private:
  struct State {
    Condition up;
    std::uint64_t disk_revision{~0ull};
    bool runs_its_config{false};
    bool excluded{false};
  };

  void check_success(int process, MonoTime from) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].excluded || nodes_[i].up.held_since(from)) continue;
      violated(fmt::format("run {} succeeded, but {} is not running and ready with its config",
                           process, truth().profile.nodes[i].name.value()));
    }
    if (!etcd_is_whole_.held_since(from)) {
      violated(
          fmt::format("run {} succeeded, but etcd is not one cluster with quorum in which every "
                      "control plane votes and no alarm is raised",
                      process));
    }
    if (!api_answers_.held_since(from)) {
      violated(fmt::format("run {} succeeded, but no API server is ready", process));
    }
  }

  bool is_up(const Node& node, State& state) const {
    if (node.stage() != Stage::running) return false;
    if (state.disk_revision != node.disk_revision()) {
      state.disk_revision = node.disk_revision();
      state.runs_its_config = runs_its_config(node);
    }
    return state.runs_its_config && is_ready(node);
  }

  bool runs_its_config(const Node& node) const {
    const auto wanted = truth().configs.nodes.find(node.spec().name);
    return wanted != truth().configs.nodes.end() &&
           node.disk().config == wanted->second.bytes.reveal();
  }

  bool is_ready(const Node& node) const {
    const auto status = node.machine_status(kAdmin);
    if (!status) return false;
    if (status->ready) return true;
    // Without a CNI no node becomes Ready in Kubernetes, and nothing else may be missing.
    return truth().profile.talos.cni_none &&
           std::all_of(status->unmet.begin(), status->unmet.end(),
                       [](const UnmetCondition& unmet) { return unmet.name == "nodeReady"; });
  }

  bool some_api_server_answers() const {
    return std::any_of(truth().nodes.begin(), truth().nodes.end(),
                       [](const auto& node) { return node->api_server_ready(); });
  }

  void follow_etcd(MonoTime now) {
    std::uint64_t revision = 0;
    for (const auto& cluster : truth().fabric.clusters()) revision += 1 + cluster->revision;
    if (std::exchange(etcd_revision_, revision) == revision) return;
    etcd_is_whole_.set(etcd_is_whole(), now);
  }

  bool etcd_is_whole() const {
    const EtcdCluster* cluster = nullptr;
    int control_planes = 0;
    for (std::size_t i = 0; i < nodes_.size() && i < truth().nodes.size(); ++i) {
      if (truth().profile.nodes[i].role != Role::control_plane || nodes_[i].excluded) continue;
      ++control_planes;
      const NodeDisk& disk = truth().nodes[i]->disk();
      if (!disk.etcd_cluster) return false;
      if (cluster != nullptr && cluster->id != *disk.etcd_cluster) return false;
      cluster = truth().fabric.find_cluster(*disk.etcd_cluster);
      if (cluster == nullptr) return false;
      const EtcdCluster::Member* member = cluster->find(disk.etcd_member);
      if (member == nullptr || member->learner) return false;
    }
    return cluster != nullptr && cluster->has_quorum() && cluster->voters() == control_planes &&
           cluster->alarms.empty();
  }

  PerNode<State> nodes_;
  PerProcess<MonoTime> started_;
  Condition etcd_is_whole_;
  Condition api_answers_;
  std::uint64_t etcd_revision_{0};
};

template std::unique_ptr<Checker> make_checker<HonestExit>(const Truth& truth);

}  // namespace ichor::sim
