#pragma once

#include <string>
#include <vector>

#include "view/board.h"

namespace ichor {

/// The size of what may be drawn on, and whether in colour.
struct Canvas {
  int columns{80};
  int rows{24};
  bool color{false};
};

/// The board at the time `now`: a header, then one line per node. Each line fits the columns, and
/// all fit the rows: where nodes are left out, those with trouble come first and a last line counts
/// the rest.
std::vector<std::string> board_lines(const Board& board, MonoTime now, const Canvas& canvas);

}  // namespace ichor
