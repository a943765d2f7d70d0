#pragma once

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <ostream>
#include <sstream>
#include <stdlib.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "async/clock.h"
#include "async/context.h"
#include "async/task.h"
#include "base/check.h"
#include "port/journal.h"

// What the journal's tests share.

namespace ichor {

inline auto fields_of(const JournalRecord& record) {
  return std::tie(record.seq, record.kind, record.run, record.node, record.call, record.ref,
                  record.outcome, record.key, record.value, record.wall_ms);
}

inline bool operator==(const JournalRecord& a, const JournalRecord& b) {
  return fields_of(a) == fields_of(b);
}

inline void PrintTo(const JournalRecord& record, std::ostream* out) {
  *out << record.seq << " " << name_of(record.kind) << " " << record.node.value() << " "
       << record.key << "=" << record.value.substr(0, 40);
}

/// A record with something in every field, distinguished by `number`.
inline JournalRecord intent_of(int number) {
  JournalRecord record;
  record.kind = RecordKind::intent;
  record.run = RunId("run-1");
  record.node = NodeName("cp" + std::to_string(number));
  record.call = Call::apply_configuration;
  record.outcome = OutcomeKind::refused;
  record.key = "boot-" + std::to_string(number);
  record.value = "digest of config " + std::to_string(number);
  record.wall_ms = 1'767'225'600'000 + number;
  return record;
}

inline LockOwner owner_named(const std::string& nonce) {
  return {nonce, "desk", "boot-of-desk", 4711};
}

/// A thread's loop: a clock that jumps, and functions posted from other threads.
class TestLoop final : public Clock {
 public:
  MonoTime now() const override { return now_; }
  WallTime wall() const override { return {1'767'225'600'000}; }
  CallId call_at(MonoTime when, Callback callback) override {
    calls_.emplace(std::pair(std::max(when, now_), ++last_id_), std::move(callback));
    return last_id_;
  }
  void cancel(CallId id) override {
    std::erase_if(calls_, [id](const auto& call) { return call.first.second == id; });
  }

  void post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
    arrived_.notify_one();
  }

  Context context() { return {this, &scope_}; }
  CancelScope& scope() { return scope_; }

  /// Runs what is due now; false if there was nothing.
  bool run_due() {
    std::vector<std::function<void()>> functions;
    {
      const std::lock_guard lock(mutex_);
      functions.swap(posted_);
    }
    for (const auto& function : functions) function();
    bool ran = !functions.empty();
    while (!calls_.empty() && calls_.begin()->first.first <= now_) {
      const Callback callback = std::move(calls_.extract(calls_.begin()).mapped());
      callback();
      ran = true;
    }
    return ran;
  }

  /// Runs until `done`. With nothing due, time jumps to the next callback; with no callback either,
  /// another thread must have something to post.
  void run_until(const std::function<bool()>& done) {
    while (true) {
      while (run_due()) continue;
      if (done()) return;
      if (!calls_.empty() && calls_.begin()->first.first != kNever) {
        now_ = calls_.begin()->first.first;
        continue;
      }
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !posted_.empty(); });
    }
  }

  template <class T>
  T run(Task<T> task) {
    task.start();
    run_until([&task] { return task.done(); });
    return task.take();
  }

 private:
  MonoTime now_{};
  CallId last_id_{0};
  std::map<std::pair<MonoTime, CallId>, Callback> calls_;
  CancelScope scope_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> posted_;
};

/// A folder in memory that goes with the object.
class TempFolder {
 public:
  TempFolder() {
    std::error_code none;
    const std::string base = std::filesystem::is_directory("/dev/shm", none) ? "/dev/shm" : "/tmp";
    std::string name = base + "/ichor-journal-XXXXXX";
    check(::mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string state() const { return path_ + "/state"; }

 private:
  std::string path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Into the same file, so that its inode stays.
inline void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
}

}  // namespace ichor
