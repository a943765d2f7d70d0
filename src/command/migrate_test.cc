#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

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

TEST_F(MigrateCommandTest, TheDifferenceStandsBesideAConfigOnStandardOutput) {
  host_.inputs["sysctl.yaml"] = kPatch;
  EXPECT_EQ(migrate("sysctl.yaml"), Exit::done);
  EXPECT_THAT(host_.printed(), Not(HasSubstr("->")));
  const auto& beside = dynamic_cast<std::ostringstream&>(host_.terminal.err());
  EXPECT_THAT(beside.str(), HasSubstr("SysctlConfig"));
  EXPECT_THAT(beside.str(), HasSubstr(" -> "));
}

TEST_F(MigrateCommandTest, AYoungerReleaseIsTakenForTheNewest) {
  host_.inputs["sysctl.yaml"] = kPatch;
  MigrateRequest request;
  request.to = "v1.15";
  request.file = "sysctl.yaml";
  EXPECT_EQ(run(request, CommonOptions(), host_), Exit::done);
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_THAT(findings()[0].what, HasSubstr("Talos 1.15 is not known"));
  EXPECT_EQ(findings()[0].where, "--to");
}

constexpr const char* kProfile = R"(name: infra
network:
  api_endpoint: https://192.168.22.101:6443
  node_cidr: 192.168.20.0/22
  gateway: 192.168.23.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
talos: {version: v1.13.9, kubernetes_version: v1.35.2, patches_dir: patches}
nodes:
  controlplane:
    assignments:
      - {name: cp1, ip: 192.168.22.101, interface: eth0, disk: /dev/sda}
)";

class MigrateProfileTest : public MigrateCommandTest {
 protected:
  MigrateProfileTest() {
    host_.inputs["ichor.yaml"] = kProfile;
    host_.inputs["patches/sysctl.yaml"] = kPatch;
    host_.inputs["patches/logging.yaml.j2"] =
        "machine: {logging: {destinations: [{endpoint: 'udp://127.0.0.1:6051', format: "
        "json_lines}]}}\n";
    host_.inputs["patches/kubelet.yaml.j2"] = "machine: {kubelet: {extraArgs: {v: '#{ 4 }#'}}}\n";
  }
  Exit migrate_all(bool write) {
    MigrateRequest request;
    request.to = "v1.14";
    request.write = write;
    CommonOptions common;
    common.profile = "ichor.yaml";
    return run(request, common, host_);
  }
  std::string said() {
    std::string text;
    for (const Finding& one : findings())
      text += one.where + " " + one.what + "; " + one.fix + "\n";
    return text;
  }
};

TEST_F(MigrateProfileTest, ReportsOnAllPatchesAndWritesNothing) {
  EXPECT_EQ(migrate_all(false), Exit::done);
  EXPECT_THAT(host_.exported, IsEmpty());
  std::string files;
  for (const auto& row : host_.display().rows("difference", {"file", "document"})) files += row;
  EXPECT_THAT(files, HasSubstr("patches/sysctl.yaml"));
  EXPECT_THAT(files, HasSubstr("patches/kubelet.yaml.j2"));
  EXPECT_THAT(said(), Not(HasSubstr("logging"))) << "nothing in it has another form";
  EXPECT_THAT(said(), HasSubstr("turn workload isolation on"));
  EXPECT_THAT(said(), HasSubstr("ichor converts it whenever it makes configs of Talos 1.14"));
  EXPECT_THAT(said(), HasSubstr("ichor.yaml:8:"));
  EXPECT_THAT(said(), HasSubstr("write v1.14.1 there"));
}

TEST_F(MigrateProfileTest, WritesTheFilesThatAreNoTemplates) {
  EXPECT_EQ(migrate_all(true), Exit::done);
  ASSERT_EQ(host_.exported.size(), 1u);
  EXPECT_THAT(host_.exported["patches/sysctl.yaml"], HasSubstr("kind: SysctlConfig"));
  EXPECT_THAT(said(), HasSubstr("patches/kubelet.yaml.j2"));
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
