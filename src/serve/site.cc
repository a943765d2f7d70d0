#include "serve/site.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "serve/metrics.h"
#include "serve/page_frame.h"
#include "serve/pages.h"
#include "view/html_page.h"
#include "view/html_report.h"

namespace ichor {

namespace {

/// A number without signs or spaces; 0 for anything else.
template <class Number>
Number number_in(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read == end ? number : 0;
}

/// The parts between slashes.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

SiteRoute route_of_run(const std::vector<std::string_view>& parts, SiteRoute route,
                       const ServedCluster& cluster) {
  using Kind = SiteRoute::Kind;
  if (parts[2] != "runs" || parts.size() > 5) return {};
  route.run = number_in<std::size_t>(parts[3]);
  if (route.run == 0 || route.run > runs_of(cluster.records).size()) return {};
  route.kind = parts.size() == 4      ? Kind::run
               : parts[4] == "report" ? Kind::report
               : parts[4] == "events" ? Kind::run_events
                                      : Kind::nowhere;
  return route;
}

PageReply report_page(const ServedCluster& cluster, std::size_t number) {
  const std::string run = runs_of(cluster.records)[number - 1].front()->run.value();
  PageReply reply;
  reply.body = html_report(cluster.name, cluster.records, run);
  reply.headers = {{"Content-Security-Policy", std::string(kPagePolicy)}};
  return reply;
}

}  // namespace

SiteRoute route_of(std::string_view path, const std::vector<ServedCluster>& clusters) {
  using Kind = SiteRoute::Kind;
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.empty()) return {Kind::clusters};
  if (parts.size() == 1) {
    if (parts[0] == "metrics") return {Kind::metrics};
    if (parts[0] == "live.js") return {Kind::script};
    return {parts[0] == "events" ? Kind::changes : Kind::nowhere};
  }
  if (parts[0] != "clusters") return {};
  const std::string name = from_url_part(parts[1]);
  const auto found = std::ranges::find(clusters, name, &ServedCluster::name);
  if (found == clusters.end()) return {};
  SiteRoute route{Kind::cluster, static_cast<std::size_t>(found - clusters.begin())};
  if (parts.size() == 2) return route;
  if (parts.size() > 3) return route_of_run(parts, route, *found);
  route.kind = parts[2] == "events" ? Kind::changes : Kind::nowhere;
  return route;
}

PageReply reply_for(const Admitted& asked, const SiteRoute& route,
                    const std::vector<ServedCluster>& clusters, std::string_view version,
                    WallTime now) {
  using Kind = SiteRoute::Kind;
  switch (route.kind) {
    case Kind::clusters: return clusters_page(asked.root, clusters, now);
    case Kind::cluster: return cluster_page(asked.root, clusters[route.cluster], now);
    case Kind::run: return run_page(asked.root, clusters[route.cluster], route.run, now);
    case Kind::report: return report_page(clusters[route.cluster], route.run);
    case Kind::metrics:
      return {200, std::string(kMetricsType), metrics_text(clusters, version, now), {}};
    case Kind::script:
      return {200, "text/javascript; charset=utf-8", std::string(live_script()), {}};
    case Kind::changes:
    case Kind::run_events:
    case Kind::nowhere: break;
  }
  return refusal(404, "There is no such page.", "Go back to the list of clusters.");
}

PageReply event_stream() { return {200, "text/event-stream", "", {}}; }

std::string stream_event(std::string_view type, std::uint64_t id, std::string_view data) {
  return fmt::format("event: {}\nid: {}\ndata: {}\n\n", type, id, data);
}

std::uint64_t stream_start(const PageRequest& request, std::string_view query) {
  const std::string* last = request.header("last-event-id");
  return number_in<std::uint64_t>(last ? *last : query_value(query, "after"));
}

}  // namespace ichor
