#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"
#include "sim/rehearsal_page.h"

namespace ichor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// The reference profile and an operator who wants to know what a bring-up will be like.
class Rehearse : public ::testing::Test {
 protected:
  Rehearse() {
    std::ifstream file("examples/reference/ichor.yaml");
    host_.inputs["ichor.yaml"] = {std::istreambuf_iterator<char>(file), {}};
  }
  int type(std::vector<std::string> words) {
    words.insert(words.begin(), "rehearse");
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }
  const Summary& summary() { return host_.display().summary(); }

  FakeHost host_;
};

TEST_F(Rehearse, GivesProgramsTheFiguresAndEverySeed) {
  EXPECT_EQ(type({"--seeds", "20", "-o", "json"}), 0);
  const auto& figures = summary().figures;
  EXPECT_GT(figures["success_rate"].get<double>(), 0.7);
  EXPECT_GT(figures["ready_seconds"]["p50"].get<double>(), 60.0);
  EXPECT_LE(figures["ready_seconds"]["p50"], figures["ready_seconds"]["p95"]);
  EXPECT_LE(figures["ready_seconds"]["p95"], figures["ready_seconds"]["max"]);
  EXPECT_TRUE(figures["weakest_step"].is_string());
  EXPECT_EQ(figures["ready"].get<int>() + figures["stopped"].get<int>(), 20);
  EXPECT_THAT(host_.display().rows("seed", {"end"}), SizeIs(20));
  EXPECT_FALSE(host_.display().rows("setting", {"setting"}).empty());
}

TEST_F(Rehearse, TouchesNoMachineAndWritesNothing) {
  EXPECT_EQ(type({"--seeds", "3"}), 0);
  EXPECT_FALSE(host_.state_made);
  EXPECT_THAT(host_.state_files, IsEmpty());
  EXPECT_THAT(host_.exported, IsEmpty());
  EXPECT_THAT(host_.machines.probed, IsEmpty());
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(Rehearse, ASettingThatHelpsIsInTheVerdict) {
  std::string& profile = host_.inputs["ichor.yaml"];
  profile.replace(profile.find("apply: parallel"), 15, "apply: sequential");
  EXPECT_EQ(type({"--seeds", "5", "--faults", "none"}), 0);
  EXPECT_THAT(summary().result.verdict,
              HasSubstr("order.apply: parallel instead of sequential helps: 100.0% ready"));
}

TEST_F(Rehearse, AnUnknownFaultIsAUsageError) {
  EXPECT_EQ(type({"--faults", "earthquake"}), 64);
  EXPECT_THAT(summary().result.verdict, HasSubstr("earthquake"));
}

TEST_F(Rehearse, AFaultThatThisProfileCannotHaveIsAUsageError) {
  EXPECT_EQ(type({"--seeds", "2", "--faults", "kube-webhook-hangs"}), 64);
  EXPECT_THAT(summary().result.verdict, HasSubstr("kube-webhook-hangs"));
}

TEST_F(Rehearse, AWrongNumberOfSeedsIsAUsageError) {
  for (const char* seeds : {"0", "-1", "9..3", "many", "1..99999999"}) {
    EXPECT_TRUE(std::holds_alternative<Misuse>(parse_command_line({"rehearse", "--seeds", seeds})))
        << seeds;
  }
  const CommandLine line = parse_command_line({"rehearse", "--seeds", "5..9"});
  const auto& request = std::get<RehearseRequest>(std::get<Invocation>(line).request);
  EXPECT_EQ(request.seeds.first, 5u);
  EXPECT_EQ(request.seeds.last, 9u);
}

TEST_F(Rehearse, ThePageNeedsNothingFromElsewhere) {
  EXPECT_EQ(type({"--seeds", "30", "--html", "out.html"}), 0);
  const std::string& page = host_.exported["out.html"];
  EXPECT_THAT(page,
              AllOf(HasSubstr("<h1>Rehearsal of reference</h1>"), HasSubstr("default-src 'none'"),
                    HasSubstr("<svg"), HasSubstr("3 control planes, 3 workers, Talos")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http://")), Not(HasSubstr("https://")),
                          Not(HasSubstr("<script"))));
}

TEST(RehearsalPage, NothingOfTheProfileOrTheSeedsIsMarkup) {
  sim::RehearsalReport report;
  report.figures.seeds = 1;
  report.figures.ends[sim::RehearsalEnd::wrong] = 1;
  sim::RehearsedSeed& seed = report.seeds.emplace_back();
  seed.verdict = "<script>alert(1)</script>";
  report.trials.push_back({"<b>", "<i>", "<u>", {}, true});
  const std::string page = rehearsal_page({"<img src=x>", "p", "a <b>"}, report);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("<b>")),
                          Not(HasSubstr("<i>")), Not(HasSubstr("<u>"))));
  EXPECT_THAT(page, HasSubstr("class=\"verdict bad\""));
}

}  // namespace
}  // namespace ichor
