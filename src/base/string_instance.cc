#include <string>

// The code of strings, once, for speed. In C++20 every file has this code, most of them for size,
// and the linker takes the first that it meets. So cmake/executable.cmake names this file before
// all libraries.

template class std::basic_string<char>;
