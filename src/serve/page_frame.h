#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/page_server.h"

namespace ichor {

/// The one script of the pages, served as a file of its own. It follows the event stream that the
/// page names and puts what the server made of it into the page; without it a page is the same, but
/// stands still.
std::string_view live_script();

/// What all pages share.
struct PageFrame {
  std::string root;     // what links start with
  std::string title;    // a text
  std::string heading;  // a text
  /// Above the heading: link and text of each page on the way here.
  std::vector<std::pair<std::string, std::string>> crumbs{};
  std::string stream{};  // the event stream of the page, below the root; empty: it does not change
  bool moves{false};     // a run is in progress: without script the page loads itself again
};

/// A page with that frame around HTML.
PageReply framed(const PageFrame& frame, std::string_view body);

/// A text as a part of a path.
std::string url_part(std::string_view text);
/// The text of a part of a path; empty if the escapes in it are broken or hide a NUL.
std::string from_url_part(std::string_view part);

}  // namespace ichor
