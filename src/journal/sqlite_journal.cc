#include "journal/sqlite_journal.h"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "async/slot.h"
#include "base/check.h"

namespace ichor {

namespace {

/// Signals are the loop's business: while this lives, new threads are born deaf to them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    check(pthread_sigmask(SIG_SETMASK, &all, &before_) == 0, "signals can be blocked");
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

/// The queue, the file and the thread between them. The file's mutex is held for as long as the
/// disk takes, the queue's only for moments; the queue's may be taken while the file's is held, not
/// the other way round.
class SqliteJournal::Writer {
 public:
  using Answer = Slot<Result<std::uint64_t>>;

  Writer(std::unique_ptr<SqliteStore> store, Post post)
      : post_(std::move(post)), store_(std::move(store)) {}

  static Result<void> start(const std::shared_ptr<Writer>& self) {
    try {
      const SignalsBlocked blocked;
      self->thread_ = std::thread([self] { self->write_batches(); });
    } catch (const std::system_error& error) {
      return fail(Errc::io, std::string("the journal's thread cannot be started: ") + error.what());
    }
    return {};
  }

  void stop() {
    bool hung = false;
    {
      const std::lock_guard lock(queue_mutex_);
      stopping_ = true;
      hung = failure_ && failure_->code == Errc::out_of_time;
      abandoned_ = hung;
    }
    queue_changed_.notify_one();
    if (hung) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  Result<std::shared_ptr<Answer>> enqueue(JournalRecord record) {
    const std::lock_guard lock(queue_mutex_);
    if (failure_) return tl::unexpected(*failure_);
    auto answer = std::make_shared<Answer>();
    queue_.push_back({std::move(record), answer});
    queue_changed_.notify_one();
    return answer;
  }

  void give_up(const Error& cause) {
    const std::lock_guard lock(queue_mutex_);
    if (!failure_) failure_ = cause;
  }

  /// Calls `use` with the file, when the thread is not using it.
  template <class Use>
  auto with_store(Use use) {
    const std::lock_guard lock(store_mutex_);
    return use(*store_);
  }

  /// A lock that cannot be given back is released by the operating system, and its row is stale.
  void unlock() {
    if (failed()) {
      const std::unique_lock lock(store_mutex_, std::try_to_lock);
      if (lock) (void)store_->unlock();
      return;
    }
    const auto given = with_store([](SqliteStore& store) { return store.unlock(); });
    if (!given) give_up(given.error());
  }

 private:
  struct Request {
    JournalRecord record;
    std::shared_ptr<Answer> answer;
  };

  std::optional<Error> failed() {
    const std::lock_guard lock(queue_mutex_);
    return failure_;
  }

  void write_batches() {
    while (true) {
      std::vector<Request> batch;
      {
        std::unique_lock lock(queue_mutex_);
        queue_changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        batch.swap(queue_);
      }
      commit(std::move(batch));
      const auto tidied = with_store([](SqliteStore& store) { return store.tidy(); });
      if (!tidied) give_up(tidied.error());
    }
  }

  void commit(std::vector<Request> batch) {
    std::vector<JournalRecord> records;
    records.reserve(batch.size());
    for (Request& request : batch) records.push_back(std::move(request.record));
    std::optional<Error> failure = failed();
    if (!failure) {
      const std::lock_guard lock(store_mutex_);
      if (auto written = store_->append(records); !written) failure = std::move(written).error();
      if (const auto& broken = store_->failure()) give_up(*broken);
    }
    std::vector<std::pair<std::shared_ptr<Answer>, Result<std::uint64_t>>> answers;
    answers.reserve(batch.size());
    for (std::size_t at = 0; at < batch.size(); ++at) {
      Result<std::uint64_t> result = records[at].seq;
      if (failure) result = tl::unexpected(*failure);
      answers.emplace_back(std::move(batch[at].answer), std::move(result));
    }
    const std::lock_guard lock(queue_mutex_);
    if (abandoned_) return;
    post_([answers = std::move(answers)]() mutable {
      for (auto& [answer, result] : answers) answer->set(std::move(result));
    });
  }

  const Post post_;

  std::mutex store_mutex_;
  const std::unique_ptr<SqliteStore> store_;

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::vector<Request> queue_;
  std::optional<Error> failure_;
  bool stopping_{false};
  bool abandoned_{false};  // no caller waits for the result

  std::thread thread_;
};

namespace {

/// The context with the time left until its deadline read as real time.
Context in_real_time(Context context, double time_scale) {
  if (context.deadline == kNever) return context;
  const auto left = static_cast<double>((context.deadline - context.now()).count());
  context.deadline = context.now() + Duration(static_cast<Duration::rep>(left * time_scale));
  return context;
}

}  // namespace

Task<Result<std::unique_ptr<SqliteJournal>>> SqliteJournal::open(SqliteOptions options, Post post) {
  auto store = SqliteStore::open(options);
  if (!store) co_return forward_error(store);
  auto writer = std::make_shared<Writer>(*std::move(store), std::move(post));
  if (auto started = Writer::start(writer); !started) {
    co_return forward_error(started);
  }
  co_return std::unique_ptr<SqliteJournal>(
      new SqliteJournal(std::move(writer), options.time_scale));
}

SqliteJournal::~SqliteJournal() { writer_->stop(); }

Task<Result<std::uint64_t>> SqliteJournal::append(Context context, JournalRecord record) {
  if (context.cancelled()) co_return fail(Errc::cancelled, "cancelled before it was recorded");
  auto queued = writer_->enqueue(std::move(record));
  if (!queued) co_return forward_error(queued);
  const std::shared_ptr<Writer::Answer> answer = *std::move(queued);
  const Context patient = in_real_time(context, time_scale_);
  const Wake wake = co_await Writer::Answer::ready(answer, patient);
  if (answer->filled()) co_return answer->take();
  if (wake == Wake::cancelled) co_return fail(Errc::cancelled, "cancelled while it was recorded");
  const Error slow{Errc::out_of_time, "the journal's disk did not commit a record in time"};
  writer_->give_up(slow);
  co_return tl::unexpected(slow);
}

Task<Result<std::vector<JournalRecord>>> SqliteJournal::read(Context) {
  co_return writer_->with_store([](SqliteStore& store) { return store.read(); });
}

Task<Result<Lease>> SqliteJournal::lock(Context, LockOwner owner) {
  co_return writer_->with_store([&](SqliteStore& store) -> Result<Lease> {
    if (auto locked = store.lock(owner); !locked) return forward_error(locked);
    return store.lease();
  });
}

Task<Result<void>> SqliteJournal::renew(Context) {
  co_return writer_->with_store([](SqliteStore& store) { return store.check_lease(); });
}

void SqliteJournal::unlock() { writer_->unlock(); }

Task<Result<std::optional<LockHolder>>> SqliteJournal::holder(Context) {
  co_return writer_->with_store([](SqliteStore& store) -> Result<std::optional<LockHolder>> {
    auto owner = store.holder();
    if (!owner) return forward_error(owner);
    if (!*owner) return std::nullopt;
    return LockHolder{**std::move(owner), store.holder_runs_here().value_or(false)};
  });
}

Task<Result<void>> SqliteJournal::break_lock(Context, std::string nonce) {
  co_return writer_->with_store([&](SqliteStore& store) { return store.break_lock(nonce); });
}

JournalOrigin SqliteJournal::origin() {
  return writer_->with_store([](SqliteStore& store) { return store.origin(); });
}

bool SqliteJournal::copied() {
  return writer_->with_store([](SqliteStore& store) { return store.copied(); });
}

Result<void> SqliteJournal::adopt() {
  return writer_->with_store([](SqliteStore& store) { return store.adopt(); });
}

}  // namespace ichor
