#include <fmt/format.h>

#include "journal/memory_journal.h"
#include "sim/checkers/make.h"
#include "sim/checkers/tables.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class OneWriter final : public Checker {
 public:
  explicit OneWriter(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I15"; }
  std::string_view promise() const override {
    return "one process at a time mutates a cluster: the one that holds the lock, and the next one "
           "began after it was gone or had lost its lease";
  }

  void on_process_started(int process) override { lives_[process] = {true, ++happenings_, 0}; }
  void on_process_crashed(int process) override { end(process); }
  void on_process_ended(int process, const RunResult& /*result*/) override { end(process); }

  void see_request(const Request& request) override { writes(request.process, request.call); }
  void on_kube_request(const KubeRequest& request) override {
    if (request.changes_something()) writes(request.process, request.call);
  }

 private:
  void writes(int process, Call call) {
    const Life mine = lives_[process];
    if (!mine.alive) {
      violated(fmt::format("run {} sent {} although it is not running", process, name_of(call)));
    }
    if (const int holder = holder_of_lock(); holder != process && truth().store) {
      violated(
          fmt::format("run {} sent {}, but run {} holds the lock", process, name_of(call), holder));
    }
    if (process == writer_) return;
    const Life before = lives_[writer_];
    if (writer_ != 0 && !lost_its_lease(writer_) && (before.alive || before.ended > mine.began)) {
      violated(
          fmt::format("run {} sent {}, but it began before run {}, which had mutated, was gone",
                      process, name_of(call), writer_));
    }
    writer_ = process;
  }

  /// Processes are numbered as runs are. Zero: none.
  int holder_of_lock() const {
    const MemoryStore* store = truth().store;
    return store && store->owner() ? static_cast<int>(store->owner()->pid) : 0;
  }
  bool lost_its_lease(int process) const {
    const MemoryStore* store = truth().store;
    return store && store->outlived() && store->outlived()->pid == process;
  }

  struct Life {
    bool alive{false};
    int began{0};  // in the order of all beginnings and ends
    int ended{0};
  };

  void end(int process) {
    lives_[process].alive = false;
    lives_[process].ended = ++happenings_;
  }

  PerProcess<Life> lives_;
  int happenings_{0};
  int writer_{0};
};

template std::unique_ptr<Checker> make_checker<OneWriter>(const Truth& truth);

}  // namespace ichor::sim
