#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSysctl = "apiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a: b}\n";

const RunResult& result_of(FakeHost& host) { return host.display().summary().result; }

TEST(ValidateCommand, TakesAReleaseThatIsNotKnownForTheNewest) {
  FakeHost host;
  host.inputs["sysctl.yaml"] = kSysctl;
  ValidateRequest request;
  request.config = "sysctl.yaml";
  request.mode = ValidateMode::metal;
  request.talos_version = "v1.15";
  EXPECT_EQ(run(request, CommonOptions(), host), Exit::done);
  ASSERT_EQ(result_of(host).findings.size(), 1u);
  EXPECT_EQ(result_of(host).findings[0].severity, Severity::warning);
  EXPECT_THAT(result_of(host).findings[0].what, HasSubstr("Talos 1.15 is not known"));
}

TEST(ValidateCommand, RefusesAReleaseBeforeAllThatAreKnown) {
  FakeHost host;
  host.inputs["sysctl.yaml"] = kSysctl;
  ValidateRequest request;
  request.config = "sysctl.yaml";
  request.mode = ValidateMode::metal;
  request.talos_version = "v1.2";
  EXPECT_EQ(run(request, CommonOptions(), host), Exit::usage);
}

TEST(PatchCommand, TakesAReleaseThatIsNotKnownForTheNewest) {
  FakeHost host;
  host.inputs["sysctl.yaml"] = kSysctl;
  MachineconfigPatchRequest request;
  request.file = "sysctl.yaml";
  request.patches = {"apiVersion: v1alpha1\nkind: SysctlConfig\nparams: {c: d}\n"};
  request.talos_version = "v1.15";
  EXPECT_EQ(run(request, CommonOptions(), host), Exit::done);
  EXPECT_THAT(host.printed(), HasSubstr("c: d"));
  ASSERT_EQ(result_of(host).findings.size(), 1u);
  EXPECT_THAT(result_of(host).findings[0].what, HasSubstr("Talos 1.15 is not known"));
}

}  // namespace
}  // namespace ichor
