#include "serve/page_frame.h"

#include <fmt/format.h>

#include "view/html_page.h"

namespace ichor {

namespace {

constexpr std::string_view kLivePolicy = "; script-src 'self'; connect-src 'self'";

constexpr std::string_view kStyle = R"html(<style>
nav { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; margin: 0 0 1.25rem;
  padding-bottom: .75rem; border-bottom: 1px solid var(--line); color: var(--soft); }
nav b { font-size: 1.05rem; color: var(--text); letter-spacing: .02em; }
nav .end { margin-left: auto; font-size: .85rem; }
a { color: var(--mark); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h1 { overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr));
  gap: 1rem; margin: 1rem 0; }
.card { display: flex; flex-direction: column; gap: .5rem; padding: 1rem 1.1rem; color: inherit;
  background: var(--panel); border: 1px solid var(--line); border-radius: .6rem;
  overflow-wrap: anywhere; min-width: 0; }
a.card:hover, a.card:focus-visible { border-color: var(--mark); text-decoration: none; }
.card h2 { margin: 0; font-size: 1.15rem; display: flex; gap: .6rem; justify-content: space-between;
  align-items: center; }
.card p { margin: 0; }
.card .foot { margin-top: auto; font-size: .85rem; color: var(--soft); display: flex;
  flex-wrap: wrap; gap: .2rem 1rem; }
.chip { flex: none; font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 1rem;
  border: 1px solid currentColor; color: var(--soft); white-space: nowrap; }
.chip.good { color: var(--good); } .chip.bad { color: var(--bad); }
.chip.open { color: var(--open); }
.chip.live { color: var(--mark); }
.chip.live::before { content: ""; display: inline-block; width: .5rem; height: .5rem;
  margin-right: .4rem; border-radius: 50%; background: currentColor;
  animation: beat 1.6s infinite; }
@keyframes beat { 50% { opacity: .25; } }
@media (prefers-reduced-motion: reduce) { .chip.live::before { animation: none; } }
.nodes { display: flex; flex-wrap: wrap; gap: .3rem; padding: 0; margin: 0; list-style: none; }
.nodes li { width: 1.1rem; height: .55rem; border-radius: .2rem; background: var(--line); }
.nodes .bound { background: var(--mark); } .nodes .configured { background: var(--open); }
.nodes .running { background: var(--good); } .nodes .excluded { opacity: .4; }
td.stage { white-space: nowrap; }
td.stage::before { content: ""; display: inline-block; width: .6rem; height: .6rem;
  margin-right: .5rem; border-radius: 50%; background: var(--line); }
td.bound::before { background: var(--mark); } td.configured::before { background: var(--open); }
td.running::before { background: var(--good); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem 1.5rem;
  margin: 1rem 0; }
dt { font-size: .8rem; color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; padding-right: 1rem; }
td.time { font-variant-numeric: tabular-nums; color: var(--soft); }
td.wide { min-width: 14rem; } td.node { min-width: 4.5rem; }
td.fact { color: inherit; }
.verdict.live { border-color: var(--mark); }
.actions { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; margin: .75rem 0; padding: 0; }
tr.new td { animation: arrive 2s; }
@keyframes arrive { from { background: color-mix(in srgb, var(--mark) 25%, transparent); } }
@media (prefers-reduced-motion: reduce) { tr.new td { animation: none; } }
#state:empty { display: none; }
@media (max-width: 40rem) { body { padding: 1rem; } nav .end { margin-left: 0; }
  th, td { padding-right: .6rem; } td.wide { min-width: 10rem; }
  dl { grid-template-columns: repeat(2, 1fr); } }
@media print { nav, .actions { display: none; } }
</style>
)html";

/// The server escapes: rows are made of text nodes, and `main` of a page that the server made.
constexpr std::string_view kScript = R"js('use strict';
(() => {
  const main = () => document.querySelector('main');
  const state = document.getElementById('state');
  const stream = main() && main().dataset.stream;
  if (!stream) return;

  const rowsMax = 500;
  let due = null;

  function cell(row, text, name) {
    const data = document.createElement('td');
    data.textContent = text;
    data.className = name;
    row.appendChild(data);
  }

  function add(record) {
    const rows = document.getElementById('events');
    if (!rows || !record.text || rows.querySelector(`[data-seq="${record.seq}"]`)) return;
    const row = document.createElement('tr');
    row.dataset.seq = record.seq;
    row.className = 'new';
    cell(row, record.since, 'time');
    cell(row, record.node || 'cluster', 'node');
    cell(row, record.text, (record.outcome || 'fact') + ' wide');
    rows.prepend(row);
    while (rows.children.length > rowsMax) rows.lastElementChild.remove();
  }

  async function load() {
    due = null;
    try {
      const reply = await fetch(location.href, {cache: 'no-store'});
      if (!reply.ok) return;
      const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
      const fresh = page.querySelector('main');
      const open = [...document.querySelectorAll('details')].map((one) => one.open);
      if (fresh) main().replaceWith(document.adoptNode(fresh));
      document.querySelectorAll('details').forEach((one, at) => { one.open = open[at] || false; });
    } catch (error) {
      // The stream says when the server is there again.
    }
  }

  function loadIn(time) { due = due || setTimeout(load, time); }

  const source = new EventSource(stream);
  source.addEventListener('record', (event) => { add(JSON.parse(event.data)); loadIn(2000); });
  source.addEventListener('changed', () => loadIn(300));
  // Durations go on without an event.
  setInterval(() => { if (document.querySelector('.chip.live')) loadIn(0); }, 5000);
  source.addEventListener('end', () => { source.close(); state.textContent = ''; load(); });
  source.onopen = () => { state.textContent = 'live'; };
  source.onerror = () => { state.textContent = 'not connected: is `ichor serve` running?'; };
})();
)js";

}  // namespace

std::string_view live_script() { return kScript; }

std::string url_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string from_url_part(std::string_view part) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      out += part[i];
      continue;
    }
    const int high = i + 2 < part.size() ? digit(part[i + 1]) : -1;
    const int low = i + 2 < part.size() ? digit(part[i + 2]) : -1;
    if (high < 0 || low < 0 || high + low == 0) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

PageReply framed(const PageFrame& frame, std::string_view body) {
  std::string head(kStyle);
  if (!frame.stream.empty()) {
    head += fmt::format("<script src=\"{}live.js\" defer></script>\n", frame.root);
  }
  if (frame.moves) {
    head += "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n";
  }
  std::string top =
      fmt::format("<nav aria-label=\"Breadcrumbs\"><a href=\"{}\"><b>ichor</b></a>\n", frame.root);
  for (const auto& [link, text] : frame.crumbs) {
    top +=
        fmt::format("<span>/</span><a href=\"{}{}\">{}</a>\n", frame.root, link, html_text(text));
  }
  top += "<span class=\"end\" id=\"state\" role=\"status\"></span></nav>\n";
  std::string main = frame.stream.empty() ? std::string("<main>\n")
                                          : fmt::format("<main data-stream=\"{}{}\">\n", frame.root,
                                                        html_text(frame.stream));
  main += "<h1>" + html_text(frame.heading) + "</h1>\n";
  main += body;
  main += "</main>\n";
  const bool live = !frame.stream.empty();
  PageReply reply;
  reply.body =
      html_page(frame.title, "", main, {live ? kLivePolicy : std::string_view(), head, top});
  reply.headers = {
      {"Content-Security-Policy", std::string(kPagePolicy) + std::string(live ? kLivePolicy : "")}};
  return reply;
}

}  // namespace ichor
