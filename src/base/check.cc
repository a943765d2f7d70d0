#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ichor {

void check_failed(std::string_view what, std::source_location where) {
  std::fprintf(stderr, "ichor: check failed at %s:%u in %s: %.*s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace ichor
