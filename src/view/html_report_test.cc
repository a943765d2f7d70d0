#include "view/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

JournalRecord record(std::uint64_t seq, std::string run, RecordKind kind, std::string node = {},
                     std::string key = {}, std::string value = {}) {
  JournalRecord record;
  record.seq = seq;
  record.run = RunId(std::move(run));
  record.kind = kind;
  record.node = NodeName(std::move(node));
  record.key = std::move(key);
  record.value = std::move(value);
  record.wall_ms = 1'769'860'800'000 + 1000 * static_cast<std::int64_t>(seq);
  return record;
}

JournalRecord outcome(std::uint64_t seq, std::uint64_t ref, OutcomeKind kind, std::string node,
                      std::string error = {}) {
  JournalRecord result = record(seq, "one", RecordKind::outcome, std::move(node), {}, error);
  result.ref = ref;
  result.outcome = kind;
  return result;
}

JournalRecord intent(std::uint64_t seq, Call call, std::string node) {
  JournalRecord result = record(seq, "one", RecordKind::intent, std::move(node));
  result.call = call;
  return result;
}

std::vector<JournalRecord> one_run() {
  return {record(1, "one", RecordKind::run_started),
          intent(2, Call::apply_configuration, "cp1"),
          outcome(3, 2, OutcomeKind::done, "cp1"),
          intent(4, Call::apply_configuration, "w1"),
          outcome(9, 4, OutcomeKind::refused, "w1", "no such disk"),
          record(10, "one", RecordKind::observed, "", "verdict bootstrap", "due: no member"),
          intent(11, Call::bootstrap, "cp1"),
          record(12, "one", RecordKind::run_ended, "", "1", "w1 failed")};
}

TEST(HtmlReport, ShowsVerdictChangesAndTheEvidenceForTheBootstrap) {
  const std::string page = html_report("infra", one_run());
  EXPECT_THAT(page, HasSubstr("<h1>Cluster infra</h1>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"verdict bad\">exit 1: w1 failed</p>"));
  EXPECT_THAT(page,
              HasSubstr("<td class=\"refused\">refused</td><td>5s</td><td>no such disk</td>"));
  EXPECT_THAT(page, HasSubstr("due: no member"));
  EXPECT_THAT(page, HasSubstr("<td class=\"unknown\">unknown</td>"))
      << "the bootstrap has no answer";
}

TEST(HtmlReport, TheTimelineHasABarForEachChangeAsLongAsItTook) {
  const std::string page = html_report("infra", one_run());
  // 11 seconds over 790 units: a change of 5 seconds is 359 wide.
  EXPECT_THAT(page, HasSubstr("<rect class=\"refused\" x=\"365.5\" y=\"49\" width=\"359.1\""));
}

TEST(HtmlReport, ShowsHowLongANodeInstallsAndBoots) {
  std::vector<JournalRecord> records = one_run();
  records[2].call = Call::apply_configuration;
  records.insert(records.end() - 1, record(12, "one", RecordKind::observed, "cp1", "settled"));
  EXPECT_THAT(html_report("infra", records), HasSubstr("cp1: installs and boots for 9s"));
}

TEST(HtmlReport, NothingOfTheJournalIsMarkup) {
  std::vector<JournalRecord> records = one_run();
  records[4].value = "<script>alert(1)</script>\"'&\x1b[31m\xe2\x80\xae";
  records[1].node = records[2].node = NodeName("<img src=x onerror=alert(1)>");
  const std::string page = html_report("</title><script>x</script>", records);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("\x1b")),
                          Not(HasSubstr("\xe2\x80\xae"))));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
}

TEST(HtmlReport, NeedsNothingFromElsewhere) {
  const std::string page = html_report("infra", one_run());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http://")), Not(HasSubstr("https://")),
                          Not(HasSubstr("url(")), Not(HasSubstr("@import"))));
}

TEST(HtmlReport, SaysThatNothingWasDone) {
  EXPECT_THAT(html_report("infra", {}), HasSubstr("Nothing has been done yet."));
}

TEST(HtmlReport, ALargeClusterIsCutInTheTimelineAndWholeInTheTables) {
  std::vector<JournalRecord> records{record(1, "one", RecordKind::run_started)};
  for (std::uint64_t node = 0; node < 300; ++node) {
    records.push_back(intent(2 + node, Call::apply_configuration, "w" + std::to_string(node)));
  }
  const std::string page = html_report("infra", records);
  EXPECT_THAT(page, HasSubstr("100 more nodes are in the tables below"));
  EXPECT_THAT(page, HasSubstr("<td>w299</td>"));
}

}  // namespace
}  // namespace ichor
