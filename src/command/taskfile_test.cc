#include "command/taskfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

TEST(Taskfile, AnIchorYamlIsNotNamed) {
  EXPECT_EQ(taskfile_beside("ichor.yaml"), shipped_taskfile());
  EXPECT_EQ(taskfile_beside("clusters/infra/ichor.yaml"), shipped_taskfile());
}

TEST(Taskfile, AnyOtherProfileIsTheDefaultOfItsTasks) {
  EXPECT_THAT(taskfile_beside("clusters/infra.yaml"),
              HasSubstr("\n  PROFILE: '{{.PROFILE | default \"infra.yaml\"}}'\n"));
  EXPECT_THAT(taskfile_beside("it's \"mine\""),
              HasSubstr("\n  PROFILE: '{{.PROFILE | default \"it''s \\\"mine\\\"\"}}'\n"));
}

TEST(Taskfile, InitWritesItBesideTheProfile) {
  FakeHost host;
  const CommandLine line = parse_command_line({"init", "-p", "lab.yaml"});
  EXPECT_EQ(run_command(std::get<Invocation>(line), host), Exit::done);
  EXPECT_EQ(host.exported["Taskfile.yaml"], taskfile_beside("lab.yaml"));
}

}  // namespace
}  // namespace ichor
