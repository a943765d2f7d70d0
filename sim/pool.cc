#include "sim/pool.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>

// A block must be known by its address alone, because most of C++ frees without a size. So all
// blocks lie in one region of addresses, its pages hold blocks of one size each, and a table says
// which. Whatever is larger, or was made before the pool was switched on, is not in the region and
// belongs to the general allocator. A block that another thread frees joins that thread's list.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ICHOR_NO_POOL
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ICHOR_NO_POOL
#endif
#endif

#ifdef ICHOR_NO_POOL

namespace ichor::sim {
void use_pool() {}
}  // namespace ichor::sim

#else

namespace {

constexpr std::size_t kGrain = 16;  // what operator new promises of every address
constexpr std::size_t kLargest = 1024;
constexpr std::size_t kPageSize = 64 * 1024;
constexpr std::size_t kPageCount = 256 * 1024;
constexpr std::size_t kRegionSize = kPageSize * kPageCount;

/// A free block holds the address of the next one.
struct FreeBlock {
  FreeBlock* next;
};

/// The blocks of one size in one thread.
struct Shelf {
  FreeBlock* free{nullptr};
  std::byte* fresh{nullptr};  // of the newest page: what was never given away
  std::size_t fresh_count{0};
};

std::atomic<std::byte*> region{nullptr};  // null: the pool is off
std::atomic<std::size_t> pages_taken{0};
std::array<std::uint8_t, kPageCount> grains_of_page;
thread_local std::array<Shelf, kLargest / kGrain + 1> shelves;

void* take_general(std::size_t size) {
  while (true) {
    if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

/// False if the region is used up.
bool add_page(Shelf& shelf, std::byte* start, std::size_t grains) {
  const std::size_t page = pages_taken.fetch_add(1, std::memory_order_relaxed);
  if (page >= kPageCount) return false;
  grains_of_page[page] = static_cast<std::uint8_t>(grains);
  shelf.fresh = start + page * kPageSize;
  shelf.fresh_count = kPageSize / (grains * kGrain);
  return true;
}

void* take(std::size_t size) {
  std::byte* const start = region.load(std::memory_order_relaxed);
  if (!start || size > kLargest) return take_general(size);
  const std::size_t grains = size > 0 ? (size + kGrain - 1) / kGrain : 1;
  Shelf& shelf = shelves[grains];
  if (FreeBlock* block = shelf.free) {
    shelf.free = block->next;
    return block;
  }
  if (shelf.fresh_count == 0 && !add_page(shelf, start, grains)) return take_general(size);
  std::byte* const block = shelf.fresh;
  shelf.fresh += grains * kGrain;
  --shelf.fresh_count;
  return block;
}

void give_back(void* memory) noexcept {
  std::byte* const start = region.load(std::memory_order_relaxed);
  const std::size_t offset = static_cast<std::size_t>(static_cast<std::byte*>(memory) - start);
  if (!start || offset >= kRegionSize) return std::free(memory);
  Shelf& shelf = shelves[grains_of_page[offset / kPageSize]];
  shelf.free = new (memory) FreeBlock{shelf.free};
}

}  // namespace

namespace ichor::sim {

void use_pool() {
  static std::once_flag once;
  std::call_once(once, [] {
    void* const start = mmap(nullptr, kRegionSize, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED) region.store(static_cast<std::byte*>(start));
  });
}

}  // namespace ichor::sim

// The forms for arrays and without exceptions end in these; those with an alignment do not, and
// their blocks are never in the region.
void* operator new(std::size_t size) { return take(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }

#endif
