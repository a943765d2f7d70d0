#include <nlohmann/json.hpp>

// The code of JSON values, once, for speed. Every file that copies or compares values has this code
// as well, most of them for size, and the linker takes the first that it meets. So
// cmake/executable.cmake names this file before all libraries.

template class nlohmann::basic_json<>;
