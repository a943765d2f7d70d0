#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "async/frame_pool.h"
#include "base/check.h"

namespace ichor {

/// A coroutine that starts when it is awaited and hands its value to the awaiter.
///
/// Ownership is a tree: a Task owns its frame, and the frame owns every Task it is awaiting. So
/// destroying the root destroys the whole computation wherever it is suspended, without running
/// another line of it. The simulator crashes ichor that way, and nothing but destructors may run.
///
/// Why not asio::awaitable: its frames belong to the io_context's threads and cannot be dropped in
/// the middle, its cancellation is implicit, and its headers cost seconds in every file of the
/// core. Here an awaited leaf is always a Signal (async/signal.h) and time always a Clock, so the
/// same core runs on a virtual clock and on a socket loop.
///
/// A Task does not throw: expected trouble is in T, and an escaped exception ends the process.
template <class T>
class [[nodiscard]] Task;

namespace detail {

struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    return self.promise().continuation;
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> continuation{std::noop_coroutine()};

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() const noexcept { std::terminate(); }

  static void* operator new(std::size_t size) { return take_frame(size); }
  static void operator delete(void* frame, std::size_t size) { give_back_frame(frame, size); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;

  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    check(value.has_value(), "a task was taken before it ended");
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle frame) : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      frame_ = std::exchange(other.frame_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  bool done() const { return frame_ && frame_.done(); }

  /// Runs a task that no other task awaits up to its first suspension. The caller keeps the Task
  /// alive.
  void start() {
    check(static_cast<bool>(frame_), "an empty task was started");
    frame_.resume();
  }

  /// The value of a finished task that no other task awaited.
  T take() { return frame_.promise().take(); }

  auto operator co_await() && {
    struct Awaiter {
      Handle frame;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        frame.promise().continuation = awaiting;
        return frame;
      }
      T await_resume() const { return frame.promise().take(); }
    };
    return Awaiter{frame_};
  }

 private:
  void reset() {
    if (frame_) frame_.destroy();
    frame_ = {};
  }

  Handle frame_;
};

template <class T>
Task<T> detail::Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}

inline Task<void> detail::Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace ichor
