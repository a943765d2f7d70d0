#include "journal/fault_disk.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <new>
#include <random>
#include <sqlite3.h>
#include <utility>

#include "journal/sqlite_db.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {
constexpr std::size_t kSectorBytes = 512;
std::atomic<int> disks_made{0};
}  // namespace

/// What SQLite holds for an open file: this, and behind it the real file.
struct FaultFile {
  sqlite3_file base;
  FaultDisk* disk;
  FaultDisk::Content* content;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static FaultFile& of(sqlite3_file* file) { return *reinterpret_cast<FaultFile*>(file); }

  static int close(sqlite3_file* file) {
    FaultFile& self = of(file);
    const int code = self.real()->pMethods->xClose(self.real());
    const std::lock_guard lock(self.disk->mutex_);
    --self.disk->open_files_;
    self.disk->changed_.notify_all();
    return code;
  }

  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    FaultFile& self = of(file);
    bool half = false;
    const int error = self.disk->meet(half);
    if (error != 0 && !half) return error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    if (half) size /= 2;
    const std::string_view text(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
    self.content->unsynced.push_back({offset, std::string(text), false});
    const int code = self.real()->pMethods->xWrite(self.real(), bytes, size, offset);
    return half ? SQLITE_FULL : code;
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    FaultFile& self = of(file);
    bool half = false;
    if (self.disk->meet(half) != 0) return SQLITE_IOERR_TRUNCATE;
    self.content->unsynced.push_back({size, "", true});
    return self.real()->pMethods->xTruncate(self.real(), size);
  }

  static int sync(sqlite3_file* file, int) {
    FaultFile& self = of(file);
    {
      std::unique_lock lock(self.disk->mutex_);
      ++self.disk->hanging_;
      self.disk->changed_.notify_all();
      self.disk->changed_.wait(lock, [&] { return !self.disk->hangs_; });
      --self.disk->hanging_;
    }
    bool half = false;
    if (self.disk->meet(half) != 0) return SQLITE_IOERR_FSYNC;
    for (const auto& change : self.content->unsynced) {
      FaultDisk::apply(change, change.bytes.size(), self.content->synced);
    }
    self.content->unsynced.clear();
    return SQLITE_OK;
  }

  static int lock_log(sqlite3_file* file, int at, int count, int flags) {
    FaultFile& self = of(file);
    // What is given back is given back: only a kernel in ruins would refuse that.
    const bool takes = (flags & SQLITE_SHM_LOCK) != 0;
    // https://www.sqlite.org/walformat.html#wal_locks: the second lock is the checkpointer's.
    if (takes && at == 1 && count == 1 && self.disk->before_checkpoint_) {
      std::exchange(self.disk->before_checkpoint_, nullptr)();
    }
    if (takes && self.disk->meet_call()) return SQLITE_IOERR_SHMLOCK;
    return self.real()->pMethods->xShmLock(self.real(), at, count, flags);
  }

  // All that changes nothing is passed on.
  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods table = {
        3,
        close,
        [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
          if (of(f).disk->meet_call()) return SQLITE_IOERR_READ;
          return of(f).real()->pMethods->xRead(of(f).real(), to, size, at);
        },
        write,
        truncate,
        sync,
        [](sqlite3_file* f, sqlite3_int64* size) {
          if (of(f).disk->meet_call()) return SQLITE_IOERR_FSTAT;
          return of(f).real()->pMethods->xFileSize(of(f).real(), size);
        },
        [](sqlite3_file* f, int kind) {
          if (of(f).disk->meet_call()) return SQLITE_IOERR_LOCK;
          return of(f).real()->pMethods->xLock(of(f).real(), kind);
        },
        [](sqlite3_file* f, int kind) {
          return of(f).real()->pMethods->xUnlock(of(f).real(), kind);
        },
        [](sqlite3_file* f, int* held) {
          return of(f).real()->pMethods->xCheckReservedLock(of(f).real(), held);
        },
        [](sqlite3_file* f, int op, void* argument) {
          return of(f).real()->pMethods->xFileControl(of(f).real(), op, argument);
        },
        [](sqlite3_file* f) { return of(f).real()->pMethods->xSectorSize(of(f).real()); },
        [](sqlite3_file* f) {
          return of(f).real()->pMethods->xDeviceCharacteristics(of(f).real());
        },
        [](sqlite3_file* f, int page, int size, int extend, void volatile** to) {
          if (of(f).disk->meet_call()) return SQLITE_IOERR_SHMMAP;
          return of(f).real()->pMethods->xShmMap(of(f).real(), page, size, extend, to);
        },
        lock_log,
        [](sqlite3_file* f) { of(f).real()->pMethods->xShmBarrier(of(f).real()); },
        [](sqlite3_file* f, int remove) {
          return of(f).real()->pMethods->xShmUnmap(of(f).real(), remove);
        },
        [](sqlite3_file*, sqlite3_int64, int, void** page) {
          *page = nullptr;
          return SQLITE_OK;
        },
        [](sqlite3_file*, sqlite3_int64, void*) { return SQLITE_OK; },
    };
    return table;
  }
};

struct FaultDisk::Vfs : sqlite3_vfs {
  FaultDisk* disk;
  sqlite3_vfs* real;

  static Vfs& of(sqlite3_vfs* vfs) { return *static_cast<Vfs*>(vfs); }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* given) {
    FaultDisk& disk = *of(vfs).disk;
    auto* self = new (file) FaultFile{{nullptr}, &disk, nullptr};
    const std::string path = name == nullptr ? "" : name;
    const bool existed = std::filesystem::exists(path);
    if (disk.meet_call()) return SQLITE_CANTOPEN;
    const int code = of(vfs).real->xOpen(of(vfs).real, name, self->real(), flags, given);
    if (code != SQLITE_OK) return code;
    const auto [known, fresh] = disk.files_.try_emplace(path);
    const bool emptied = existed && std::filesystem::file_size(path) == 0;
    if (fresh && existed) known->second.synced = bytes_of(path);
    if (!fresh && emptied) known->second = {};
    self->content = &known->second;
    self->base.pMethods = &FaultFile::methods();
    const std::lock_guard lock(disk.mutex_);
    ++disk.open_files_;
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    if (of(vfs).disk->meet_call()) return SQLITE_IOERR_DELETE;
    of(vfs).disk->files_.erase(name);
    return of(vfs).real->xDelete(of(vfs).real, name, sync_folder);
  }
};

FaultDisk::FaultDisk() : name_("ichor-fault-" + std::to_string(++disks_made)) {
  vfs_ = std::make_unique<Vfs>();
  sqlite3_vfs* real = sqlite3_vfs_find("unix");
  check(real != nullptr, "SQLite has its own VFS");
  // Whatever is not replaced below gets the table itself as first argument, and needs nothing of
  // it.
  static_cast<sqlite3_vfs&>(*vfs_) = *real;
  vfs_->disk = this;
  vfs_->real = real;
  vfs_->szOsFile = static_cast<int>(sizeof(FaultFile)) + real->szOsFile;
  vfs_->zName = name_.c_str();
  vfs_->pNext = nullptr;
  vfs_->xOpen = Vfs::open;
  vfs_->xDelete = Vfs::remove;
  vfs_->xGetLastError = [](sqlite3_vfs* vfs, int, char*) { return Vfs::of(vfs).disk->last_errno_; };
  check(sqlite3_vfs_register(vfs_.get(), 0) == SQLITE_OK, "a VFS can be registered");
}

FaultDisk::~FaultDisk() { sqlite3_vfs_unregister(vfs_.get()); }

void FaultDisk::arm(Fault fault, int at) {
  armed_ = fault;
  at_ = (fault == Fault::call_fails ? calls_.load() : operations_) + at;
  fired_ = false;
}

void FaultDisk::heal() { armed_ = Fault::none; }

int FaultDisk::meet(bool& half) {
  ++operations_;
  if (meet_call()) return last_errno_;
  if (armed_ == Fault::none || armed_ == Fault::call_fails || operations_ < at_) return 0;
  const bool first = !fired_;
  fired_ = true;
  if (armed_ == Fault::io_error && !first) return 0;
  half = armed_ == Fault::short_write && first;
  last_errno_ = armed_ == Fault::no_space || armed_ == Fault::short_write ? ENOSPC : EIO;
  return last_errno_;
}

bool FaultDisk::meet_call() {
  ++calls_;
  if (armed_ != Fault::call_fails || fired_ || calls_ < at_) return false;
  fired_ = true;
  last_errno_ = EIO;
  return true;
}

void FaultDisk::apply(const Change& change, std::size_t size, std::string& bytes) {
  const auto offset = static_cast<std::size_t>(change.offset);
  if (change.truncates) {
    bytes.resize(offset);
    return;
  }
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, change.bytes.data(), size);
}

void FaultDisk::restore(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (auto& [path, content] : files_) {
    std::string bytes = content.synced;
    for (const Change& change : content.unsynced) {
      if (seed == 0 || random() % 2 == 0) continue;
      // A sector is written whole or not at all: that is what SQLite asks of a disk.
      std::size_t size = change.bytes.size();
      if (size > kSectorBytes && random() % 2 == 0) {
        size = random() % (size / kSectorBytes) * kSectorBytes;
      }
      apply(change, size, bytes);
    }
    // A file that was renamed or removed past SQLite is no longer there under this name.
    if (std::filesystem::exists(path)) overwrite(path, bytes);
  }
  files_.clear();
  heal();
}

void FaultDisk::hang() {
  const std::lock_guard lock(mutex_);
  hangs_ = true;
}

void FaultDisk::release() {
  const std::lock_guard lock(mutex_);
  hangs_ = false;
  changed_.notify_all();
}

void FaultDisk::wait_until_hanging() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return hangs_ && hanging_ > 0; });
}

void FaultDisk::wait_until_closed() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return open_files_ == 0; });
}

namespace {

TEST(FaultDisk, loses_what_was_not_synced) {
  FaultDisk disk;
  TempFolder folder;
  const std::string path = folder.path() + "/db";
  overwrite(path, "");
  {
    auto db = Db::open(path, disk.vfs());
    ASSERT_TRUE(db) << db.error().message;
    ASSERT_TRUE((*db)->run("CREATE TABLE fact (name TEXT); INSERT INTO fact VALUES ('kept')"));
    disk.arm(FaultDisk::Fault::power_loss, 3);
    EXPECT_FALSE((*db)->run("INSERT INTO fact VALUES ('lost')"));
    EXPECT_TRUE(disk.fired());
  }
  disk.restore(0);
  auto db = Db::open(path, disk.vfs());
  ASSERT_TRUE(db);
  EXPECT_EQ((*db)->ask("SELECT group_concat(name) FROM fact"), "kept");
}

TEST(FaultDisk, names_the_error_it_made) {
  FaultDisk disk;
  TempFolder folder;
  const std::string path = folder.path() + "/db";
  overwrite(path, "");
  auto db = Db::open(path, disk.vfs());
  ASSERT_TRUE(db);
  disk.arm(FaultDisk::Fault::io_error, 1);
  const auto failed = (*db)->run("CREATE TABLE fact (name TEXT)");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io);
  EXPECT_NE(failed.error().message.find("EIO"), std::string::npos) << failed.error().message;
}

}  // namespace

}  // namespace ichor
