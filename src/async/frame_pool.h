#pragma once

#include <cstddef>

namespace ichor::detail {

/// Memory for coroutine frames. Frames are born and die in great numbers and few sizes, so each
/// thread keeps the freed ones by size and hands them out again. Sanitizer builds use the plain
/// heap, to see every misuse.
void* take_frame(std::size_t size);
void give_back_frame(void* frame, std::size_t size) noexcept;

}  // namespace ichor::detail
