#include "journal/sqlite_journal.h"

#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "async/at_once.h"
#include "async/task_group.h"
#include "journal/fault_disk.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {

SqliteOptions options_in(const TempFolder& folder) {
  SqliteOptions options;
  options.folder = folder.state();
  options.journal_id = "0123456789abcdef";
  return options;
}

std::unique_ptr<SqliteJournal> open(const SqliteOptions& options, TestLoop& loop) {
  auto journal = at_once(SqliteJournal::open(
      options, [&loop](std::function<void()> function) { loop.post(std::move(function)); }));
  check(journal.has_value(), "the journal opens");
  return *std::move(journal);
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777u : 0;
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

/// A process of its own that does `work` and then waits to be killed, having said one byte per
/// step.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) {
    std::array<int, 2> ends{};
    check(::pipe(ends.data()) == 0, "a pipe can be made");
    pid_ = ::fork();
    check(pid_ >= 0, "a process can be forked");
    if (pid_ == 0) {
      ::close(ends[0]);
      work([&](char byte) { check(::write(ends[1], &byte, 1) == 1, "the parent listens"); });
      while (true) ::pause();
    }
    ::close(ends[1]);
    from_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    ::close(from_);
  }

  /// The next byte; 0 if the child ended.
  char hear() {
    char byte = 0;
    return ::read(from_, &byte, 1) == 1 ? byte : '\0';
  }
  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_{0};
  int from_{-1};
};

TEST(SqliteJournal, files_are_for_their_owner_only_whatever_the_umask) {
  for (const mode_t mask : {0000, 0077, 0277}) {
    SCOPED_TRACE(mask);
    const Umask set(mask);
    TempFolder folder;
    TestLoop loop;
    const auto journal = open(options_in(folder), loop);
    ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
    ASSERT_TRUE(loop.run(journal->append(loop.context(), intent_of(1))));
    EXPECT_EQ(mode_of(folder.state()), 0700u);
    for (const char* name : {"journal.db", "journal.db-wal", "journal.db-shm", "lock"}) {
      EXPECT_EQ(mode_of(folder.state() + "/" + name), 0600u) << name;
    }
  }
}

TEST(SqliteJournal, modes_that_were_widened_are_taken_back) {
  TempFolder folder;
  TestLoop loop;
  open(options_in(folder), loop);
  std::filesystem::permissions(folder.state(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder.state() + "/journal.db", std::filesystem::perms(0644));
  open(options_in(folder), loop);
  EXPECT_EQ(mode_of(folder.state()), 0700u);
  EXPECT_EQ(mode_of(folder.state() + "/journal.db"), 0600u);
}

TEST(SqliteJournal, links_are_not_followed) {
  TempFolder folder;
  TempFolder elsewhere;
  TestLoop loop;
  open(options_in(elsewhere), loop);
  const auto expect_unsafe = [&] {
    const auto refused = at_once(SqliteJournal::open(options_in(folder), [](const auto&) {}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unsafe) << refused.error().message;
  };
  std::filesystem::create_symlink(elsewhere.state(), folder.state());
  expect_unsafe();
  std::filesystem::remove(folder.state());
  std::filesystem::create_directory(folder.state());
  std::filesystem::create_symlink(elsewhere.state() + "/journal.db",
                                  folder.state() + "/journal.db");
  expect_unsafe();
  std::filesystem::remove(folder.state() + "/journal.db");
  std::filesystem::create_hard_link(elsewhere.state() + "/journal.db",
                                    folder.state() + "/journal.db");
  expect_unsafe();
}

TEST(SqliteJournal, a_linked_lock_file_is_not_written_to) {
  TempFolder folder;
  TestLoop loop;
  const auto journal = open(options_in(folder), loop);
  overwrite(folder.path() + "/precious", "keep me");
  std::filesystem::create_symlink(folder.path() + "/precious", folder.state() + "/lock");
  EXPECT_EQ(at_once(journal->lock({}, owner_named("a"))).error().code, Errc::unsafe);
  EXPECT_EQ(bytes_of(folder.path() + "/precious"), "keep me");
}

TEST(SqliteJournal, a_folder_below_a_link_is_fine) {
  TempFolder folder;
  TestLoop loop;
  std::filesystem::create_directory(folder.path() + "/real");
  std::filesystem::create_directory_symlink(folder.path() + "/real", folder.path() + "/link");
  SqliteOptions options = options_in(folder);
  options.folder = folder.path() + "/link/clusters/home/";
  const auto journal = open(options, loop);
  EXPECT_TRUE(at_once(journal->lock({}, owner_named("a"))));
  EXPECT_EQ(mode_of(folder.path() + "/real/clusters/home"), 0700u);
}

TEST(SqliteJournal, looking_on_does_not_make_a_journal) {
  TempFolder folder;
  SqliteOptions options = options_in(folder);
  options.create = false;
  const auto none = [](const auto&) {};
  EXPECT_EQ(at_once(SqliteJournal::open(options, none)).error().code, Errc::invalid);
  EXPECT_FALSE(std::filesystem::exists(folder.state()));
  std::filesystem::create_directory(folder.state());
  EXPECT_EQ(at_once(SqliteJournal::open(options, none)).error().code, Errc::invalid);
  EXPECT_TRUE(std::filesystem::is_empty(folder.state()));
}

TEST(SqliteJournal, processes_that_make_it_at_the_same_time_get_the_same_one) {
  TempFolder folder;
  std::array<std::string, 4> seen;
  std::vector<std::thread> threads;
  for (std::size_t at = 0; at < seen.size(); ++at) {
    threads.emplace_back([&folder, &seen, at] {
      SqliteOptions options = options_in(folder);
      options.journal_id = "journal-" + std::to_string(at);
      auto store = SqliteStore::open(options);
      seen[at] = store ? (*store)->origin().journal_id : store.error().message;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(seen[0].starts_with("journal-")) << seen[0];
  for (const std::string& id : seen) EXPECT_EQ(id, seen[0]);
}

TEST(SqliteJournal, a_reader_can_look_on_while_the_holder_writes) {
  TempFolder folder;
  TestLoop loop;
  const auto journal = open(options_in(folder), loop);
  ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
  const auto onlooker = open(options_in(folder), loop);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    ASSERT_TRUE(loop.run(journal->append(loop.context(), intent_of(1))));
    const auto seen = at_once(onlooker->read({}));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->size(), number);
  }
}

TEST(SqliteJournal, the_lock_file_tells_people_who_holds_it_and_is_empty_afterwards) {
  TempFolder folder;
  TestLoop loop;
  const auto journal = open(options_in(folder), loop);
  ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
  EXPECT_EQ(bytes_of(folder.state() + "/lock"),
            "nonce a\nhost desk\nboot boot-of-desk\npid 4711\n");
  journal->unlock();
  EXPECT_EQ(bytes_of(folder.state() + "/lock"), "");
  ASSERT_TRUE(at_once(journal->lock({}, owner_named("b"))));
  ASSERT_TRUE(at_once(journal->break_lock({}, "b")));
  EXPECT_EQ(bytes_of(folder.state() + "/lock"), "");
}

// Forked processes use the store without its thread, and are forked before this one opens it:
// neither threads nor SQLite's own lists survive a fork.

TEST(SqliteJournal, the_lock_of_another_process_ends_with_its_life) {
  TempFolder folder;
  Child child([&](const auto& say) {
    const auto store = SqliteStore::open(options_in(folder));
    say(store && (*store)->lock(owner_named("child")) ? 'L' : 'E');
    while (true) ::pause();
  });
  ASSERT_EQ(child.hear(), 'L');
  TestLoop loop;
  const auto journal = open(options_in(folder), loop);
  const auto refused = at_once(journal->lock({}, owner_named("parent")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  EXPECT_NE(refused.error().message.find("ichor unlock child"), std::string::npos);
  child.kill();
  EXPECT_TRUE(at_once(journal->lock({}, owner_named("parent"))));
}

TEST(SqliteJournal, a_process_namespace_does_not_hide_the_lock) {
  TempFolder folder;
  Child outside([&](const auto& say) {
    const auto store = SqliteStore::open(options_in(folder));
    say(store && (*store)->lock(owner_named("outside")) ? 'L' : 'E');
    while (true) ::pause();
  });
  ASSERT_EQ(outside.hear(), 'L');
  // In its own namespace the other one has process id 1 and cannot see the holder's.
  Child inside([&](const auto& say) {
    if (::unshare(CLONE_NEWPID) != 0) return say('?');
    const pid_t first = ::fork();
    if (first != 0) {
      ::waitpid(first, nullptr, 0);
      return say('E');  // unless the first one of the namespace said something before
    }
    const auto store = SqliteStore::open(options_in(folder));
    if (store) {
      const auto locked = (*store)->lock(owner_named("inside"));
      say(!locked && locked.error().code == Errc::locked ? 'R' : 'T');
    }
    ::_exit(0);
  });
  const char verdict = inside.hear();
  if (verdict == '?') GTEST_SKIP() << "process namespaces are not allowed here";
  EXPECT_EQ(verdict, 'R');
}

TEST(SqliteJournal, what_was_acknowledged_survives_kill_9) {
  TempFolder folder;
  std::size_t acknowledged = 0;
  for (const int appends : {1, 2, 5, 9, 14, 20}) {
    SCOPED_TRACE(appends);
    Child child([&](const auto& say) {
      TestLoop loop;
      const auto journal = open(options_in(folder), loop);
      if (!at_once(journal->lock({}, owner_named("child")))) return;
      for (int number = 1;; ++number) {
        if (!loop.run(journal->append(loop.context(), intent_of(number)))) return;
        say('A');
      }
    });
    for (int heard = 0; heard < appends; ++heard) ASSERT_EQ(child.hear(), 'A');
    child.kill();
    while (child.hear() == 'A') ++acknowledged;
    acknowledged += static_cast<std::size_t>(appends);
    TestLoop loop;
    const auto journal = open(options_in(folder), loop);
    ASSERT_TRUE(at_once(journal->lock({}, owner_named("parent"))));
    const auto records = at_once(journal->read({}));
    ASSERT_TRUE(records) << records.error().message;
    EXPECT_GE(records->size(), acknowledged);
    EXPECT_LE(records->size(), acknowledged + 1);
    acknowledged = records->size();
    journal->unlock();
  }
}

TEST(SqliteJournal, appends_that_wait_together_are_committed_together) {
  TempFolder folder;
  FaultDisk disk;
  TestLoop loop;
  SqliteOptions options = options_in(folder);
  options.vfs = disk.vfs();
  const auto journal = open(options, loop);
  ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
  disk.hang();
  TaskGroup group(loop.context());
  int answered = 0;
  const auto append = [](SqliteJournal& to, Context context, int number, int& count) -> Task<void> {
    if (co_await to.append(context, intent_of(number))) ++count;
  };
  group.spawn(append(*journal, loop.context(), 1, answered));
  disk.wait_until_hanging();
  for (int number = 2; number <= 200; ++number) {
    group.spawn(append(*journal, loop.context(), number, answered));
  }
  const int before = disk.operations();
  disk.release();
  loop.run_until([&] { return answered == 200; });
  // 199 commits of their own would be at least as many syncs.
  EXPECT_LT(disk.operations() - before, 199);
}

TEST(SqliteJournal, a_disk_that_hangs_fails_the_append_in_time_and_lets_the_process_end) {
  TempFolder folder;
  FaultDisk disk;
  SqliteOptions options = options_in(folder);
  options.vfs = disk.vfs();
  {
    TestLoop loop;
    auto journal = open(options, loop);
    ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
    disk.hang();
    auto late = journal->append(loop.context().within(std::chrono::seconds(8)), intent_of(1));
    late.start();
    disk.wait_until_hanging();
    loop.run_until([&] { return late.done(); });
    EXPECT_EQ(late.take().error().code, Errc::out_of_time);
    EXPECT_EQ(loop.run(journal->append(loop.context(), intent_of(2))).error().code,
              Errc::out_of_time);
    journal->unlock();
  }
  disk.release();
  disk.wait_until_closed();
}

TEST(SqliteJournal, a_disk_is_given_its_time_although_the_callers_clock_runs_faster) {
  TempFolder folder;
  FaultDisk disk;
  SqliteOptions options = options_in(folder);
  options.vfs = disk.vfs();
  options.time_scale = 100;
  {
    TestLoop loop;
    auto journal = open(options, loop);
    ASSERT_TRUE(at_once(journal->lock({}, owner_named("a"))));
    disk.hang();
    const MonoTime begin = loop.context().now();
    auto append = journal->append(loop.context().within(std::chrono::seconds(8)), intent_of(1));
    append.start();
    disk.wait_until_hanging();
    loop.run_until([&] { return append.done(); });
    EXPECT_EQ(append.take().error().code, Errc::out_of_time);
    EXPECT_GE(loop.context().now() - begin, std::chrono::seconds(800));
    journal->unlock();
  }
  disk.release();
  disk.wait_until_closed();
}

TEST(SqliteJournal, a_long_log_is_moved_into_the_database_on_the_way) {
  TempFolder folder;
  FaultDisk disk;
  SqliteOptions options = options_in(folder);
  options.vfs = disk.vfs();
  auto store = SqliteStore::open(options);
  ASSERT_TRUE(store);
  ASSERT_TRUE((*store)->lock(owner_named("a")));
  for (int number = 1; number <= 1200; ++number) {
    std::vector<JournalRecord> batch{intent_of(number)};
    ASSERT_TRUE((*store)->append(batch));
    ASSERT_TRUE((*store)->tidy());
  }
  EXPECT_LT(std::filesystem::file_size(folder.state() + "/journal.db-wal"), 5u << 20);
  EXPECT_GT(std::filesystem::file_size(folder.state() + "/journal.db"), 1u << 16);
  EXPECT_EQ((*store)->read()->size(), 1200u);
}

TEST(SqliteJournal, a_checkpoint_that_fails_ends_the_writing) {
  TempFolder folder;
  FaultDisk disk;
  SqliteOptions options = options_in(folder);
  options.vfs = disk.vfs();
  auto store = SqliteStore::open(options);
  ASSERT_TRUE(store);
  ASSERT_TRUE((*store)->lock(owner_named("a")));
  std::vector<JournalRecord> batch{intent_of(1)};
  batch.front().value = std::string(5u << 20, 'x');
  ASSERT_TRUE((*store)->append(batch));
  disk.arm(FaultDisk::Fault::io_error, 1);
  EXPECT_EQ((*store)->tidy().error().code, Errc::io);
  const int before = disk.operations();
  EXPECT_EQ((*store)->append(batch).error().code, Errc::io);
  store->reset();
  EXPECT_EQ(disk.operations(), before);
}

JournalRecord arbitrary_record() {
  JournalRecord record = intent_of(1);
  record.kind =
      *rc::gen::element(RecordKind::run_started, RecordKind::outcome, RecordKind::node_excluded);
  record.run = RunId(*rc::gen::arbitrary<std::string>());
  record.node = NodeName(*rc::gen::arbitrary<std::string>());
  record.call = static_cast<Call>(*rc::gen::inRange(0, kCallCount));
  record.outcome = static_cast<OutcomeKind>(*rc::gen::inRange(0, 3));
  record.key = *rc::gen::arbitrary<std::string>();
  record.value = *rc::gen::arbitrary<std::string>();
  record.wall_ms = *rc::gen::arbitrary<std::int64_t>();
  return record;
}

RC_GTEST_PROP(SqliteJournalProperty, any_bytes_come_back_as_they_were, ()) {
  TempFolder folder;
  FaultDisk disk;
  SqliteOptions options = options_in(folder);
  options.vfs = disk.vfs();
  std::vector<JournalRecord> batch;
  const int size = *rc::gen::inRange(1, 6);
  for (int at = 0; at < size; ++at) batch.push_back(arbitrary_record());
  {
    auto store = SqliteStore::open(options);
    RC_ASSERT(store.has_value());
    RC_ASSERT((*store)->lock(owner_named("a")).has_value());
    RC_ASSERT((*store)->append(batch).has_value());
  }
  auto store = SqliteStore::open(options);
  RC_ASSERT((*store)->lock(owner_named("b")).has_value());
  const auto records = (*store)->read();
  RC_ASSERT(records.has_value());
  RC_ASSERT(*records == batch);
}

}  // namespace

}  // namespace ichor
