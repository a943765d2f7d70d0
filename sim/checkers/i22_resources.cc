#include <fmt/format.h>

#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"

namespace ichor::sim {

namespace {

/// What a run may use, by the number of its nodes. Memory and file descriptors themselves belong to
/// a process and are measured there; these are what they follow from.
constexpr int kActorsPerNode = 2;  // the node's own and the cluster's: a session and a call each
constexpr int kRecordsPerNode = 40;
constexpr int kRecordsPerRun = 416;  // a bootstrap that comes too early is tried for ten minutes
constexpr std::size_t kTextMax = 4096;
constexpr std::size_t kFindingsPerNode = 4;

}  // namespace

class Resources final : public Checker {
 public:
  explicit Resources(const Truth& truth)
      : Checker(truth, Reads::both), nodes_(static_cast<int>(truth.profile.nodes.size())) {}

  std::string_view id() const override { return "I22"; }
  std::string_view promise() const override {
    return "connections, calls in flight, records and texts are bounded by the number of nodes";
  }

  void see_request(const Request& request) override {
    const int open = ++uses_[request.process].calls;
    if (open > actors_per_node() * nodes_ + 1) {
      violated(fmt::format("run {} has {} calls in flight", request.process, open));
    }
  }
  void see_reply(const Request& request, const Reply& /*reply*/) override {
    --uses_[request.process].calls;
  }

  void on_sessions(int process, int open) override {
    // The gate of Talos' services asks every node once more.
    const int allowed = actors_per_node() + (truth().kube ? 1 : 0);
    if (open <= allowed * nodes_) return;
    violated(fmt::format("run {} holds {} connections to {} nodes", process, open, nodes_));
  }

  void on_process_started(int /*process*/) override { records_ = 0; }

  void on_durable(const JournalRecord& record) override {
    limit_text(record.value, "a record");
    limit_text(record.key, "a record");
    if (++records_ > kRecordsPerRun + kRecordsPerNode * nodes_) {
      violated(fmt::format("a run wrote {} records", records_));
    }
  }

  bool hears() const override { return true; }
  void on_event(int /*process*/, const Event& event) override {
    limit_text(event.text, "an event");
  }

  void on_process_ended(int process, const RunResult& result) override {
    limit_text(result.verdict, "a verdict");
    for (const Finding& finding : result.findings) limit_text(finding.what, "a finding");
    const std::size_t most = kFindingsPerNode * static_cast<std::size_t>(nodes_) + 4;
    if (result.findings.size() > most) {
      violated(fmt::format("run {} has {} findings", process, result.findings.size()));
    }
  }

 private:
  /// Where machines boot at addresses that the profile does not say, a scan is one more.
  int actors_per_node() const {
    const auto& plans = truth().profile.nodes;
    bool scans = false;
    for (std::size_t i = 0; i < plans.size() && i < truth().nodes.size(); ++i) {
      scans = scans || truth().nodes[i]->spec().dhcp_address != plans[i].maintenance_address;
    }
    return kActorsPerNode + (scans ? 1 : 0);
  }

  struct Uses {
    int calls{0};
  };

  void limit_text(const std::string& text, std::string_view what) {
    if (text.size() <= kTextMax) return;
    violated(fmt::format("{} has {} bytes, and {} are allowed", what, text.size(), kTextMax));
  }

  int nodes_;
  int records_{0};  // since the last run began
  PerProcess<Uses> uses_;
};

template std::unique_ptr<Checker> make_checker<Resources>(const Truth& truth);

}  // namespace ichor::sim
