#pragma once

#include <string>
#include <vector>

namespace ichor {

/// Draws frames over one another at the bottom of a terminal, below lines that stay.
///
/// It changes no mode of the terminal: no alternate screen, no hidden cursor. So there is nothing
/// to restore, however the process ends, and the last frame stays readable.
class Painter {
 public:
  /// The bytes that put `above` for good where the last frame began, and `frame` below it.
  /// `columns` is the width of the terminal now: a narrower one has wrapped the last frame.
  std::string paint(const std::vector<std::string>& above, const std::vector<std::string>& frame,
                    int columns);

 private:
  std::vector<int> drawn_cells_;  // of each line of the last frame
};

}  // namespace ichor
