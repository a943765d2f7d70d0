#include "journal/fault_calls.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "journal/test_kit.h"

namespace ichor {

namespace {
thread_local FaultCalls* innermost = nullptr;
}  // namespace

FaultCalls::FaultCalls() : outer_(std::exchange(innermost, this)) {}

FaultCalls::~FaultCalls() { innermost = outer_; }

FaultCalls* FaultCalls::current() { return innermost; }

void FaultCalls::fail(std::string name, int error, int at) {
  name_ = std::move(name);
  error_ = error;
  left_ = at;
  failed_.clear();
}

void FaultCalls::before(std::string name, std::function<void()> act, int times) {
  before_[std::move(name)] = {std::move(act), times};
}

bool FaultCalls::meet(std::string_view name) {
  if (acting_) return false;
  if (const auto found = before_.find(name); found != before_.end() && found->second.times > 0) {
    --found->second.times;
    acting_ = true;
    found->second.act();
    acting_ = false;
  }
  if (left_ == 0 || (!name_.empty() && name_ != name)) return false;
  if (--left_ > 0) return false;
  failed_ = name;
  errno = error_;
  return true;
}

}  // namespace ichor

// With --wrap=open the linker takes every `open` of our objects for wrap_open, and real_open for
// the C library's.
#define WRAPPED(type, name, ...)                      \
  type real_##name(__VA_ARGS__) asm("__real_" #name); \
  type wrap_##name(__VA_ARGS__) asm("__wrap_" #name); \
  type wrap_##name(__VA_ARGS__)

namespace {

bool fails(std::string_view name) {
  ichor::FaultCalls* const faults = ichor::FaultCalls::current();
  return faults != nullptr && faults->meet(name);
}

}  // namespace

WRAPPED(int, mkdir, const char* path, mode_t mode) {
  return fails("mkdir") ? -1 : real_mkdir(path, mode);
}

WRAPPED(int, chmod, const char* path, mode_t mode) {
  return fails("chmod") ? -1 : real_chmod(path, mode);
}

WRAPPED(int, fchmod, int fd, mode_t mode) { return fails("fchmod") ? -1 : real_fchmod(fd, mode); }

WRAPPED(int, fchmodat, int folder, const char* path, mode_t mode, int flags) {
  return fails("fchmodat") ? -1 : real_fchmodat(folder, path, mode, flags);
}

WRAPPED(int, faccessat, int folder, const char* path, int mode, int flags) {
  return fails("faccessat") ? -1 : real_faccessat(folder, path, mode, flags);
}

WRAPPED(int, lstat, const char* path, struct stat* found) {
  return fails("lstat") ? -1 : real_lstat(path, found);
}

WRAPPED(int, fstat, int fd, struct stat* found) {
  return fails("fstat") ? -1 : real_fstat(fd, found);
}

WRAPPED(int, fstatat, int folder, const char* path, struct stat* found, int flags) {
  return fails("fstatat") ? -1 : real_fstatat(folder, path, found, flags);
}

WRAPPED(char*, realpath, const char* path, char* resolved) {
  return fails("realpath") ? nullptr : real_realpath(path, resolved);
}

WRAPPED(int, unlinkat, int folder, const char* path, int flags) {
  return fails("unlinkat") ? -1 : real_unlinkat(folder, path, flags);
}

WRAPPED(int, renameat, int from_folder, const char* from, int to_folder, const char* to) {
  return fails("renameat") ? -1 : real_renameat(from_folder, from, to_folder, to);
}

WRAPPED(int, fsync, int fd) { return fails("fsync") ? -1 : real_fsync(fd); }

WRAPPED(int, flock, int fd, int operation) {
  return fails("flock") ? -1 : real_flock(fd, operation);
}

WRAPPED(int, ftruncate, int fd, off_t size) {
  return fails("ftruncate") ? -1 : real_ftruncate(fd, size);
}

WRAPPED(ssize_t, pwrite, int fd, const void* bytes, std::size_t size, off_t offset) {
  return fails("pwrite") ? -1 : real_pwrite(fd, bytes, size, offset);
}

WRAPPED(ssize_t, read, int fd, void* bytes, std::size_t size) {
  return fails("read") ? -1 : real_read(fd, bytes, size);
}

WRAPPED(uid_t, geteuid) {
  const ichor::FaultCalls* const faults = ichor::FaultCalls::current();
  return real_geteuid() + (faults != nullptr && faults->other_user() ? 1 : 0);
}

// The last argument is there or not, and the C library looks at it only if the others say so.

WRAPPED(int, open, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails("open") ? -1 : real_open(path, flags, mode);
}

WRAPPED(int, openat, int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails("openat") ? -1 : real_openat(folder, path, flags, mode);
}

WRAPPED(int, fcntl, int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fails("fcntl") ? -1 : real_fcntl(fd, command, argument);
}

namespace ichor {

namespace {

bool opens(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

TEST(FaultCalls, meet_the_call_that_was_named_and_no_other) {
  TempFolder folder;
  FaultCalls calls;
  calls.fail("open", EMFILE, 2);
  struct stat found {};
  EXPECT_TRUE(opens(folder.path()));
  EXPECT_EQ(::lstat(folder.path().c_str(), &found), 0);
  EXPECT_EQ(calls.failed(), "");
  EXPECT_FALSE(opens(folder.path()));
  EXPECT_EQ(errno, EMFILE);
  EXPECT_EQ(calls.failed(), "open");
  EXPECT_TRUE(opens(folder.path()));
}

TEST(FaultCalls, are_over_with_the_object) {
  TempFolder folder;
  {
    FaultCalls calls;
    calls.fail(EIO, 1);
  }
  EXPECT_TRUE(opens(folder.path()));
}

TEST(FaultCalls, let_another_program_act_before_a_call) {
  TempFolder folder;
  FaultCalls calls;
  calls.before("open", [&] { overwrite(folder.path() + "/new", "x"); });
  EXPECT_TRUE(opens(folder.path() + "/new"));
}

}  // namespace

}  // namespace ichor
