#include "async/frame_pool.h"

#include <array>
#include <new>

namespace ichor::detail {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPooled = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kPooled = false;
#else
constexpr bool kPooled = true;
#endif
#else
constexpr bool kPooled = true;
#endif

constexpr std::size_t kStep = 64;
constexpr std::size_t kClasses = 64;  // frames above 4 KiB go to the heap

struct Free {
  Free* next;
};

/// Gives everything back to the heap when its thread ends.
struct Pool {
  std::array<Free*, kClasses> free{};
  ~Pool() {
    for (Free* first : free) {
      while (first) {
        Free* const next = first->next;
        ::operator delete(first);
        first = next;
      }
    }
  }
};

thread_local Pool pool;

constexpr std::size_t class_of(std::size_t size) { return (size + kStep - 1) / kStep; }

}  // namespace

void* take_frame(std::size_t size) {
  const std::size_t which = class_of(size);
  if (!kPooled || which >= kClasses) return ::operator new(size);
  Free*& first = pool.free[which];
  if (!first) return ::operator new(which* kStep);
  Free* const taken = first;
  first = taken->next;
  return taken;
}

void give_back_frame(void* frame, std::size_t size) noexcept {
  const std::size_t which = class_of(size);
  if (!kPooled || which >= kClasses) {
    ::operator delete(frame);
    return;
  }
  pool.free[which] = new (frame) Free{pool.free[which]};
}

}  // namespace ichor::detail
