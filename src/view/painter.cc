#include "view/painter.h"

#include <algorithm>
#include <fmt/format.h>

#include "view/cells.h"

namespace ichor {

std::string Painter::paint(const std::vector<std::string>& above,
                           const std::vector<std::string>& frame, int columns) {
  int rows = 0;
  for (const int cells : drawn_cells_) {
    rows += columns > 0 ? std::max(1, (cells + columns - 1) / columns) : 1;
  }
  drawn_cells_.clear();
  // Terminals that know mode 2026 show the frame at once; others ignore it.
  std::string bytes = "\x1b[?2026h\r";
  if (rows > 0) bytes += fmt::format("\x1b[{}A", rows);
  const auto put = [&](const std::string& line) { bytes += line + "\x1b[K\n"; };
  for (const std::string& line : above) put(line);
  for (const std::string& line : frame) {
    put(line);
    drawn_cells_.push_back(cell_count(clean(line)));
  }
  return bytes + "\x1b[J\x1b[?2026l";
}

}  // namespace ichor
