#include "view/json_display.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// What `tell` does to a display, as lines.
template <class Tell>
std::vector<std::string> lines_of(bool quiet, Tell tell,
                                  JsonDisplay::Form form = JsonDisplay::Form::json) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  {
    FdWriter out(ends[1]);
    JsonDisplay display(out, quiet, form);
    tell(display);
  }
  ::close(ends[1]);
  std::string text(65536, '\0');
  const ssize_t size = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Event waiting(std::string text) {
  return {EventKind::waiting,
          MonoTime{} + std::chrono::milliseconds(1500),
          NodeName("cp1"),
          "apply",
          std::move(text),
          Stage::installing,
          2};
}

Summary summary() {
  Summary summary;
  summary.cluster = "infra";
  summary.result.exit = Exit::done;
  summary.result.verdict = "infra is ready";
  summary.result.mutations = 7;
  summary.result.elapsed = std::chrono::milliseconds(125'500);
  summary.result.nodes = {{NodeName("cp1"), StepEnd::passed, "verify", Stage::running, 1, ""}};
  summary.written = {{"kubeconfig", "kubernetes/kubeconfig"}};
  return summary;
}

TEST(JsonDisplay, WritesOneObjectOfTextsWhereFlatIsWanted) {
  const auto lines = lines_of(
      false,
      [](JsonDisplay& display) {
        display.emit(waiting("for the install"));
        Listing listing;
        listing.type = "node";
        listing.columns = {{"node", "NODE"}, {"stage", "STAGE"}};
        listing.rows = {{{"node", "cp1"}, {"stage", "running"}}, {{"node", "w1"}, {"ready", true}}};
        display.show(listing);
        Summary last = summary();
        last.result.findings = {{Severity::warning, "P5", NodeName("w1"), "disk", "old", "new"}};
        display.end(last);
      },
      JsonDisplay::Form::flat);
  ASSERT_THAT(lines, SizeIs(1));
  const auto object = nlohmann::json::parse(lines.front());
  for (const auto& [key, value] : object.items()) EXPECT_TRUE(value.is_string()) << key;
  EXPECT_EQ(object["node.cp1.stage"], "running");
  EXPECT_EQ(object["node.w1.ready"], "true");
  EXPECT_EQ(object["finding.1.id"], "P5");
  EXPECT_EQ(object["ok"], "true");
  EXPECT_EQ(object["nodes.cp1.stage"], "running");
}

TEST(JsonDisplay, WritesOneDocumentPerObjectWhereYamlIsWanted) {
  const auto lines = lines_of(
      false,
      [](JsonDisplay& display) {
        Listing listing;
        listing.type = "node";
        listing.rows = {{{"node", "cp1"}, {"version", "1.10"}, {"ready", true}}};
        display.show(listing);
        Summary last;
        last.result.exit = Exit::findings;
        last.result.verdict = "two: things";
        display.end(last);
      },
      JsonDisplay::Form::yaml);
  EXPECT_THAT(lines, ElementsAre("---", "type: node", "node: cp1", "version: \"1.10\"",
                                 "ready: true", "---", "type: summary", "ok: false", "exit: 3",
                                 "mutations: 0", "nodes: {}", "seconds: 0.0",
                                 "verdict: 'two: things'", "errors: 0", "warnings: 0"));
}

TEST(JsonDisplay, WritesOneObjectPerLineAndTheSummaryLast) {
  const auto lines = lines_of(false, [](JsonDisplay& display) {
    display.emit({EventKind::run_started, MonoTime{} + std::chrono::seconds(1), {}, {}, "infra"});
    display.emit(waiting("cp1 is installing"));
    display.show(Listing{"node", {}, {{{"node", "cp1"}, {"ready", true}}}});
    display.end(summary());
  });
  EXPECT_THAT(
      lines,
      ElementsAre(
          R"({"type":"run-started","at":0.0,"text":"infra"})",
          R"({"type":"waiting","at":0.5,"node":"cp1","phase":"apply","stage":"installing",)"
          R"("attempt":2,"text":"cp1 is installing"})",
          R"({"type":"node","node":"cp1","ready":true})",
          R"({"type":"summary","ok":true,"exit":0,"mutations":7,"nodes":{"cp1":{"ok":true,)"
          R"("stage":"running","result":"passed","phase":"verify","retries":1}},"seconds":125.5,)"
          R"("cluster":"infra","verdict":"infra is ready","errors":0,"warnings":0,)"
          R"("written":{"kubeconfig":"kubernetes/kubeconfig"}})"));
}

TEST(JsonDisplay, LeavesEventsOutWhereQuietIsWanted) {
  const auto lines = lines_of(true, [](JsonDisplay& display) {
    display.emit(waiting("x"));
    display.end(summary());
  });
  EXPECT_THAT(lines, SizeIs(1));
}

TEST(JsonDisplay, WritesNothingThatATerminalObeysAndSurvivesBytesThatAreNoText) {
  const auto lines = lines_of(false, [](JsonDisplay& display) {
    display.emit(
        waiting("a\x1b]0;owned\x07\n\xC2\x9B"
                "31m\xFF"));
  });
  ASSERT_THAT(lines, SizeIs(1));
  for (const char byte : lines[0]) {
    EXPECT_GE(byte, 0x20);
    EXPECT_LT(byte, 0x7F);
  }
  EXPECT_EQ(nlohmann::json::parse(lines[0])["text"],
            "a\x1b]0;owned\x07\n\xC2\x9B"
            "31m\xEF\xBF\xBD");
}

TEST(JsonDisplay, WritesFindingsBeforeTheSummaryThatCountsThem) {
  const auto lines = lines_of(false, [](JsonDisplay& display) {
    Summary bad;
    bad.result.exit = Exit::findings;
    bad.result.findings = {{Severity::error, "C1", {}, "ichor.yaml:3:1", "what", "fix"}};
    display.end(bad);
  });
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0], R"({"type":"finding","severity":"error","id":"C1","where":"ichor.yaml:3:1",)"
                      R"("what":"what","fix":"fix"})");
  const auto last = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(last["ok"], false);
  EXPECT_EQ(last["exit"], 3);
  EXPECT_EQ(last["errors"], 1);
}

}  // namespace
}  // namespace ichor
