#include "serve/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/metrics.h"
#include "serve/test_cluster.h"

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using Kind = SiteRoute::Kind;

constexpr WallTime kNow{TestCluster::kBegan + 60'000};

std::vector<ServedCluster> two_clusters() {
  TestCluster infra("infra"), apps("apps ✓");
  infra.start("one");
  infra.change("one", "cp1", OutcomeKind::done);
  infra.settle("one", "cp1");
  infra.step("one", "cp1", "apply");
  infra.end("one", "0", "infra is ready");
  infra.start("two", "upgrade");
  infra.cluster.held = true;
  apps.cluster.trouble = "no run has worked on apps yet";
  return {infra.cluster, apps.cluster};
}

PageReply page(const std::string& path, const std::vector<ServedCluster>& clusters) {
  return reply_for({"/0123/", path, ""}, route_of(path, clusters), clusters, "0.2.0", kNow);
}

TEST(Site, PathsLeadToClustersAndRunsThatExist) {
  const auto clusters = two_clusters();
  const auto kind = [&](std::string_view path) { return route_of(path, clusters).kind; };
  EXPECT_EQ(kind(""), Kind::clusters);
  EXPECT_EQ(kind("metrics"), Kind::metrics);
  EXPECT_EQ(kind("live.js"), Kind::script);
  EXPECT_EQ(kind("events"), Kind::changes);
  EXPECT_EQ(kind("clusters/infra/"), Kind::cluster);
  EXPECT_EQ(kind("clusters/infra"), Kind::cluster);
  EXPECT_EQ(kind("clusters/infra/events"), Kind::changes);
  EXPECT_EQ(kind("clusters/infra/runs/2"), Kind::run);
  EXPECT_EQ(kind("clusters/infra/runs/2/report"), Kind::report);
  EXPECT_EQ(kind("clusters/infra/runs/2/events"), Kind::run_events);
  EXPECT_EQ(route_of("clusters/apps%20%E2%9C%93/", clusters).cluster, 1u);
  EXPECT_EQ(route_of("clusters/infra/runs/2", clusters).run, 2u);
}

TEST(Site, AllOtherPathsLeadNowhere) {
  const auto clusters = two_clusters();
  for (const char* path :
       {"clusters", "clusters//", "clusters/other/", "clusters/infra/runs", "clusters/infra/runs/0",
        "clusters/infra/runs/3", "clusters/infra/runs/-1", "clusters/infra/runs/1x",
        "clusters/infra/runs/99999999999999999999", "clusters/infra/runs/1/report/more",
        "clusters/infra/../../etc/passwd", "../../etc/passwd", "%2e%2e/etc/passwd",
        "clusters/%00infra/", "clusters/infra%2/", "clusters/infra%zz/", "events/x",
        "favicon.ico"}) {
    EXPECT_EQ(route_of(path, clusters).kind, Kind::nowhere) << path;
    EXPECT_EQ(page(path, clusters).status, 404) << path;
  }
}

TEST(Site, TheFirstPageHasEveryClusterWithItsLastRun) {
  const std::string body = page("", two_clusters()).body;
  EXPECT_THAT(body, HasSubstr("2 clusters, 1 run in progress"));
  EXPECT_THAT(body, HasSubstr("href=\"/0123/clusters/infra/\""));
  EXPECT_THAT(body, HasSubstr("href=\"/0123/clusters/apps%20%E2%9C%93/\""));
  EXPECT_THAT(body, HasSubstr("run 2: ichor upgrade"));
  EXPECT_THAT(body, HasSubstr("1 of 2 nodes running"));
  EXPECT_THAT(body, HasSubstr("no run has worked on apps yet"));
}

TEST(Site, APageOfAClusterHasNodesRunsAndCertificates) {
  auto clusters = two_clusters();
  clusters[0].certificates = {{"talosconfig", kNow.unix_ms + 12LL * 24 * 3600 * 1000}};
  const std::string body = page("clusters/infra/", clusters).body;
  EXPECT_THAT(body, HasSubstr("<td class=\"stage running\">running</td>"));
  EXPECT_THAT(body, HasSubstr("apply: done in 1m01s after 3 retries"));
  EXPECT_THAT(body, HasSubstr("<a href=\"/0123/clusters/infra/runs/1\">1</a>"));
  EXPECT_THAT(body, HasSubstr("infra is ready"));
  EXPECT_THAT(body, HasSubstr("<span class=\"chip open\">expires in 12 days</span>"));
}

TEST(Site, ARunInProgressIsFollowedAndOneThatEndedIsNot) {
  const auto clusters = two_clusters();
  const std::string running = page("clusters/infra/runs/2", clusters).body;
  EXPECT_THAT(running, HasSubstr("data-stream=\"/0123/clusters/infra/runs/2/events?after=9\""));
  EXPECT_THAT(running, HasSubstr("<script src=\"/0123/live.js\" defer></script>"));
  EXPECT_THAT(running, HasSubstr("http-equiv=\"refresh\""));
  const std::string ended = page("clusters/infra/runs/1", clusters).body;
  EXPECT_THAT(ended, Not(HasSubstr("<script")));
  EXPECT_THAT(ended, HasSubstr("ApplyConfiguration is sent"));
  EXPECT_THAT(ended, HasSubstr("<td class=\"done wide\">ApplyConfiguration: done after 1s</td>"));
}

TEST(Site, ARunInProgressSaysItsNewestChangeOrStep) {
  TestCluster test("infra");
  test.cluster.held = true;
  test.start("one");
  EXPECT_THAT(page("clusters/infra/", {test.cluster}).body, HasSubstr("Run 1</a>: started"));
  test.change("one", "cp1", OutcomeKind::done);
  test.settle("one", "cp1");
  EXPECT_THAT(page("clusters/infra/", {test.cluster}).body,
              HasSubstr("Run 1</a>: cp1: ApplyConfiguration: done after 1s"));
  test.step("one", "cp1", "apply");
  EXPECT_THAT(page("clusters/infra/", {test.cluster}).body,
              HasSubstr("Run 1</a>: cp1: apply: done in 1m01s after 3 retries"));
}

TEST(Site, ScriptsRunOnlyFromTheOneFile) {
  const auto clusters = two_clusters();
  const PageReply live = page("", clusters);
  EXPECT_THAT(live.headers,
              Contains(Pair("Content-Security-Policy",
                            HasSubstr("default-src 'none'; style-src 'unsafe-inline'"))));
  EXPECT_THAT(live.headers,
              Contains(Pair("Content-Security-Policy", HasSubstr("script-src 'self'"))));
  const PageReply still = page("clusters/infra/runs/1/report", clusters);
  EXPECT_THAT(still.headers, Contains(Key("Content-Security-Policy")));
  EXPECT_THAT(still.headers, Not(Contains(Pair("Content-Security-Policy", HasSubstr("script")))));
  EXPECT_THAT(still.body, HasSubstr("<svg"));
  EXPECT_EQ(page("live.js", clusters).type, "text/javascript; charset=utf-8");
  EXPECT_EQ(page("metrics", clusters).type, kMetricsType);
}

/// What an attacker may put into a hostname, an error or a file name.
const char* const kHostile[] = {
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",   "</title></style></td></main><svg onload=alert(1)>",
    "javascript:alert(1)",       "\x1b[31mred\x1b]0;title\x07",
    "\xe2\x80\xaegnp.exe",       "&lt;b&gt;&#60;"};

TEST(Site, NothingHostileGetsIntoAPage) {
  for (const std::string hostile : kHostile) {
    TestCluster test(hostile);
    test.cluster.profile = hostile;
    test.cluster.nodes = {hostile};
    test.start("one", hostile);
    test.add("one", RecordKind::observed, {}, std::string(kVersionsKey), hostile);
    test.change("one", hostile, OutcomeKind::refused, hostile);
    test.step("one", hostile, hostile);
    test.end("one", "1", hostile);
    test.cluster.trouble = hostile;
    test.cluster.certificates = {{hostile, 0}};
    const std::vector<ServedCluster> clusters{test.cluster};
    const std::string path = "clusters/x/";
    for (const SiteRoute& route : {SiteRoute{Kind::clusters}, SiteRoute{Kind::cluster},
                                   SiteRoute{Kind::run, 0, 1}, SiteRoute{Kind::report, 0, 1}}) {
      const std::string body = reply_for({"/", path, ""}, route, clusters, "1", kNow).body;
      for (const char* mark : {"<script>", "<img", "onerror=alert(1)>", "<svg onload", "\x1b",
                               "\x07", "\xe2\x80\xae", "href=\"javascript"}) {
        EXPECT_THAT(body, Not(HasSubstr(mark))) << hostile;
      }
      EXPECT_THAT(body, Not(HasSubstr("' onmouseover"))) << hostile;
    }
  }
}

TEST(Site, PasswordsInUrlsAreHidden) {
  TestCluster test("infra");
  test.start("one");
  test.end("one", "1", "https://user:hunter2@registry.example/x refused");
  const std::vector<ServedCluster> clusters{test.cluster};
  for (const char* path : {"", "clusters/infra/", "clusters/infra/runs/1"}) {
    EXPECT_THAT(page(path, clusters).body, Not(HasSubstr("hunter2"))) << path;
  }
}

TEST(Site, AnEventOfAStreamIsThreeLinesWhateverItSays) {
  EXPECT_EQ(stream_event("record", 7, "{}"), "event: record\nid: 7\ndata: {}\n\n");
}

TEST(Site, AStreamGoesOnWhereTheClientWas) {
  PageRequest request;
  EXPECT_EQ(stream_start(request, ""), 0u);
  EXPECT_EQ(stream_start(request, "after=7"), 7u);
  EXPECT_EQ(stream_start(request, "after=-1"), 0u);
  request.headers = {{"last-event-id", "9"}};
  EXPECT_EQ(stream_start(request, "after=7"), 9u);
}

}  // namespace
}  // namespace ichor
