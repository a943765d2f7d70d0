#include "serve/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "serve/test_cluster.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Pages, AnEventIsOneLineOfJsonWithATextForPeople) {
  TestCluster test("infra");
  test.start("one");
  test.change("one", "cp1", OutcomeKind::refused, "line\nbreak \xff https://a:b@c/");
  const auto runs = runs_of(test.cluster.records);
  const std::string line = event_line(runs[0], *runs[0].back());
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const auto event = nlohmann::json::parse(line);
  EXPECT_EQ(event["type"], "record");
  EXPECT_EQ(event["seq"], 4);
  EXPECT_EQ(event["node"], "cp1");
  EXPECT_EQ(event["outcome"], "refused");
  EXPECT_EQ(event["since"], "+3s");
  EXPECT_THAT(event["text"].get<std::string>(), HasSubstr("ApplyConfiguration: refused after 1s"));
  EXPECT_THAT(line, Not(HasSubstr("a:b@")));
}

TEST(Pages, ARunWithoutAnEndWhoseProcessIsGoneIsNotInProgress) {
  TestCluster test("infra");
  test.start("one");
  const PageReply reply = run_page("/", test.cluster, 1, WallTime{TestCluster::kBegan});
  EXPECT_THAT(reply.body, HasSubstr("did not end: its process is gone"));
  EXPECT_THAT(reply.body, Not(HasSubstr("data-stream")));
}

TEST(Pages, AThousandNodesFitOnTheFirstPage) {
  TestCluster test("infra");
  test.cluster.nodes.clear();
  for (int i = 0; i < 1000; ++i) test.cluster.nodes.push_back("w" + std::to_string(i));
  const PageReply reply = clusters_page("/", {test.cluster}, WallTime{TestCluster::kBegan});
  EXPECT_THAT(reply.body, HasSubstr("0 of 1000 nodes running"));
  EXPECT_LT(reply.body.size(), 40'000u);
}

}  // namespace
}  // namespace ichor
