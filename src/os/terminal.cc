#include "os/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ichor {

std::optional<TerminalSize> terminal_size(int fd) {
  if (::isatty(fd) != 1) return std::nullopt;
  const char* const kind = std::getenv("TERM");
  if (!kind || std::string_view(kind) == "dumb") return std::nullopt;
  TerminalSize size;
  winsize window{};
  if (::ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    size.columns = window.ws_col;
    size.rows = window.ws_row;
  }
  return size;
}

bool wants_color() {
  const char* const no_color = std::getenv("NO_COLOR");
  return !no_color || *no_color == '\0';
}

}  // namespace ichor
