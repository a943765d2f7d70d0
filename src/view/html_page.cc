#include "view/html_page.h"

#include "base/clean_text.h"

namespace ichor {

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline')";

constexpr std::string_view kStyle = R"(</title>
<style>
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --panel: #f6f8fa; --good: #1a7f37; --bad: #cf222e; --open: #9a6700; --mark: #0969da; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --soft: #9198a1;
  --line: #3d444d; --panel: #151b23; --good: #3fb950; --bad: #f85149; --open: #d29922;
  --mark: #4493f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p.soft, .soft { color: var(--soft); }
.verdict { border-left: .4rem solid var(--open); background: var(--panel); padding: .6rem 1rem;
  overflow-wrap: anywhere; }
.verdict.good { border-color: var(--good); }
.verdict.bad { border-color: var(--bad); }
.scroll { overflow-x: auto; }
svg { display: block; min-width: 40rem; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
svg .tick { fill: var(--soft); }
svg .rule { stroke: var(--line); }
svg .done { fill: var(--good); }
svg .refused { fill: var(--bad); }
svg .unknown { fill: var(--open); }
svg .fact { fill: var(--mark); }
svg .boot { fill: var(--line); }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0; list-style: none; }
.legend span { display: inline-block; width: .7rem; height: .7rem; margin-right: .4rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th, td.time { white-space: nowrap; }
td.done { color: var(--good); } td.refused { color: var(--bad); } td.unknown { color: var(--open); }
details > summary { cursor: pointer; padding: .25rem 0; }
@media print { body { max-width: none; padding: 0; } details { display: block; } }
</style>
)";

}  // namespace

std::string html_text(std::string_view hostile) {
  std::string out;
  for (const char c : clean_text(hostile)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string html_page(std::string_view title, std::string_view heading, std::string_view body,
                      const PageExtras& extras) {
  std::string page(kHead);
  page += extras.policy;
  page += "\">\n<title>" + html_text(title);
  page += kStyle;
  page += extras.head;
  page += "</head>\n<body>\n";
  page += extras.top;
  if (!heading.empty()) page += "<h1>" + html_text(heading) + "</h1>\n";
  page += body;
  return page + "</body>\n</html>\n";
}

}  // namespace ichor
