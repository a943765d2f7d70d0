#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kPatch = "machine:\n  sysctls: {vm.swappiness: \"10\"}\n";

class MigrateCommandTest : public testing::Test {
 protected:
  Exit migrate(const std::string& file, bool write = false) {
    MigrateRequest request;
    request.to = "v1.14";
    request.file = file;
    request.write = write;
    return run(request, CommonOptions(), host_);
  }
  const std::vector<Finding>& findings() { return host_.display().summary().result.findings; }

  FakeHost host_;
};

TEST_F(MigrateCommandTest, PrintsAPatchForTalos114) {
  host_.inputs["sysctl.yaml"] = kPatch;
  EXPECT_EQ(migrate("sysctl.yaml"), Exit::done);
  EXPECT_EQ(host_.printed(),
            "apiVersion: v1alpha1\nkind: SysctlConfig\nparams:\n    vm.swappiness: \"10\"\n");
}

TEST_F(MigrateCommandTest, WritesInPlaceAndShowsTheDifference) {
  host_.inputs["sysctl.yaml"] = kPatch;
  EXPECT_EQ(migrate("sysctl.yaml", true), Exit::done);
  EXPECT_THAT(host_.exported["sysctl.yaml"], HasSubstr("kind: SysctlConfig"));
  EXPECT_THAT(host_.printed(), IsEmpty());
}

TEST_F(MigrateCommandTest, WhatCannotBeSaidIsRefusedAndNothingIsWritten) {
  host_.inputs["kernel.yaml"] = "machine:\n  install:\n    extraKernelArgs: [quiet]\n";
  EXPECT_EQ(migrate("kernel.yaml", true), Exit::findings);
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_THAT(findings()[0].where, HasSubstr("kernel.yaml:3:"));
  EXPECT_THAT(findings()[0].fix, HasSubstr("schematic"));
  EXPECT_THAT(host_.exported, IsEmpty());
}

TEST_F(MigrateCommandTest, OnlyTalos114IsATarget) {
  host_.inputs["sysctl.yaml"] = kPatch;
  MigrateRequest request;
  request.to = "v1.12";
  request.file = "sysctl.yaml";
  EXPECT_EQ(run(request, CommonOptions(), host_), Exit::usage);
  EXPECT_THAT(host_.display().summary().result.verdict, HasSubstr("v1.14"));
}

TEST_F(MigrateCommandTest, ASecretOfAConfigIsNeverPartOfAFinding) {
  host_.inputs["config.yaml"] =
      "machine:\n  type: worker\n  token: t0p-s3cret\n  ca: {crt: Q0E=, key: \"\"}\n"
      "  install: {extraKernelArgs: [quiet], disk: /dev/sda}\ncluster:\n  token: an0ther\n";
  migrate("config.yaml", true);
  for (const Finding& finding : findings()) {
    EXPECT_THAT(finding.what + finding.fix, Not(HasSubstr("s3cret")));
    EXPECT_THAT(finding.what + finding.fix, Not(HasSubstr("an0ther")));
  }
}

}  // namespace
}  // namespace ichor
