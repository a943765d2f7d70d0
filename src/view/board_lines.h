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

/// The board at the time `now`: a header, what is over, what the cluster waits for, then one line
/// per node. Each line fits the columns, and all fit the rows: where nodes do not, those with
/// trouble are named and the others stand in groups of those that look the same.
std::vector<std::string> board_lines(const Board& board, MonoTime now, const Canvas& canvas);

}  // namespace ichor
