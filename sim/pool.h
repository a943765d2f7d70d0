#pragma once

namespace ichor::sim {

/// From now on small objects of this process come from lists of free blocks, one list per size and
/// thread. A seed makes and frees millions of them, and the general allocator takes a sixth of its
/// time. The memory stays with the process, so this is for campaigns and not for `up`. Does nothing
/// under the sanitizers, which watch the general allocator, and where no address space is left.
void use_pool();

}  // namespace ichor::sim
