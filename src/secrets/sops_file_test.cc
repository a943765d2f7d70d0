#include "secrets/sops_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSealed =
    "a: ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]\n"
    "sops:\n  kms: [{arn: x, enc: y}]\n"
    "  mac: ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]\n"
    "  lastmodified: '2026-01-01T00:00:00Z'\n  version: 3.9.0\n";

TEST(SopsProgram, SeesTheVariablesOfKeyServicesAndNoOthers) {
  FakeHost host;
  host.variables = {{"AWS_REGION", "eu"}, {"SOPS_AGE_KEY_FILE", "/keys"}, {"GITHUB_TOKEN", "x"}};
  std::vector<ProcessCall> calls;
  host.other_program = [&calls](const ProcessCall& call) -> Result<ProcessResult> {
    calls.push_back(call);
    return ProcessResult{0, SecretString("a: b\n"), ""};
  };
  const auto plain = open_sops(kSealed, "a.yaml", {sops::Format::yaml, sops::Format::yaml}, host);
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->reveal(), "a: b\n");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].program, "sops");
  EXPECT_EQ(calls[0].arguments.front(), "decrypt");
  EXPECT_TRUE(calls[0].variables.contains("AWS_REGION"));
  EXPECT_TRUE(calls[0].variables.contains("SOPS_AGE_KEY_FILE"));
  EXPECT_FALSE(calls[0].variables.contains("GITHUB_TOKEN"));
}

TEST(SopsProgram, IsQuotedWhenItFails) {
  FakeHost host;
  host.other_program = [](const ProcessCall&) -> Result<ProcessResult> {
    return ProcessResult{128, {}, "no access to the key"};
  };
  const auto plain = open_sops(kSealed, "a.yaml", {sops::Format::yaml, sops::Format::yaml}, host);
  ASSERT_FALSE(plain);
  EXPECT_THAT(plain.error().message, HasSubstr("sops ended with 128: no access to the key"));
}

}  // namespace
}  // namespace ichor
