#pragma once

#include <optional>

namespace ichor {

struct TerminalSize {
  int columns{80};
  int rows{24};
};

/// The size of the terminal behind a descriptor, now; nothing if there is none, or one that cannot
/// move its cursor.
std::optional<TerminalSize> terminal_size(int fd);

/// Whether colours are wanted on it: not where NO_COLOR is set.
bool wants_color();

}  // namespace ichor
