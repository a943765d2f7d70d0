#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// A text for HTML, between tags or in a quoted attribute: cleaned, then escaped.
std::string html_text(std::string_view hostile);

/// The Content-Security-Policy of such a page, for servers that send one.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/// What a page on a server has besides, as HTML: a policy that allows its script, what belongs into
/// the head, and what stands above the heading.
struct PageExtras {
  std::string_view policy{};
  std::string_view head{};
  std::string_view top{};
};

/// A page that needs nothing else: no script, no remote file, light and dark, fit for paper. Title
/// and heading are texts, `body` is HTML; without a heading the body has one of its own.
std::string html_page(std::string_view title, std::string_view heading, std::string_view body,
                      const PageExtras& extras = {});

}  // namespace ichor
