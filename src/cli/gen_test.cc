#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

template <class T>
T parsed(std::vector<std::string> words) {
  const CommandLine line = parse_command_line(words);
  const Invocation* invocation = std::get_if<Invocation>(&line);
  const Misuse* misuse = std::get_if<Misuse>(&line);
  EXPECT_NE(invocation, nullptr) << (misuse ? misuse->message : "");
  return invocation ? std::get<T>(invocation->request) : T{};
}

std::string misuse(std::vector<std::string> words) {
  const CommandLine line = parse_command_line(words);
  const Misuse* wrong = std::get_if<Misuse>(&line);
  return wrong ? wrong->message : "accepted";
}

TEST(Gen, ConfigTakesTheFlagsOfTalosctl) {
  const auto config = parsed<GenConfigRequest>({"gen",
                                                "config",
                                                "demo",
                                                "https://10.0.0.1:6443",
                                                "--with-secrets",
                                                "s.yaml",
                                                "--talos-version",
                                                "v1.12",
                                                "--additional-sans",
                                                "a,b",
                                                "--registry-mirror",
                                                "docker.io=https://m",
                                                "--persist=false",
                                                "--with-cluster-discovery=false",
                                                "--with-kubespan",
                                                "--with-docs=false",
                                                "--config-patch",
                                                "[{\"op\": \"add\"}]",
                                                "--config-patch",
                                                "- op: add",
                                                "--config-patch-worker",
                                                "@w.yaml",
                                                "--output-types",
                                                "controlplane,worker",
                                                "--output-dir",
                                                "out",
                                                "--force"});
  EXPECT_EQ(config.cluster_name, "demo");
  EXPECT_EQ(config.endpoint, "https://10.0.0.1:6443");
  EXPECT_THAT(config.additional_sans, ElementsAre("a", "b"));
  EXPECT_THAT(config.registry_mirrors, ElementsAre(Pair("docker.io", "https://m")));
  EXPECT_FALSE(config.persist);
  EXPECT_FALSE(config.with_cluster_discovery);
  EXPECT_TRUE(config.with_kubespan);
  EXPECT_FALSE(config.with_docs);
  EXPECT_TRUE(config.with_examples);
  EXPECT_THAT(config.patches, ElementsAre("[{\"op\": \"add\"}]", "- op: add"));
  EXPECT_THAT(config.worker_patches, ElementsAre("@w.yaml"));
  EXPECT_THAT(config.outputs, ElementsAre(GenOutput::controlplane, GenOutput::worker));
  EXPECT_EQ(config.output, "out");
  EXPECT_TRUE(config.force);
}

TEST(Gen, WhatCannotBeIsRefused) {
  EXPECT_THAT(misuse({"gen", "config", "demo"}), HasSubstr("ENDPOINT"));
  EXPECT_THAT(misuse({"gen", "config", "demo", "10.0.0.1:6443"}), HasSubstr("is not a URL"));
  EXPECT_THAT(misuse({"gen", "config", "demo", "https://h", "-o", "-"}), HasSubstr("a folder"));
  EXPECT_EQ(misuse({"gen", "config", "demo", "https://h", "-o", "-", "-t", "worker"}), "accepted");
  EXPECT_THAT(misuse({"gen", "config", "demo", "https://h", "--version", "v2"}),
              HasSubstr("v1alpha1"));
  EXPECT_THAT(misuse({"gen", "config", "demo", "https://h", "--registry-mirror", "x"}),
              HasSubstr("HOST=URL"));
  EXPECT_THAT(misuse({"gen", "talosconfig", "demo"}), HasSubstr("--with-secrets"));
}

TEST(Gen, TheFormatIsAnotherFlagWhereOutputIsAFile) {
  const CommandLine line =
      parse_command_line({"gen", "secrets", "-o", "x.yaml", "--format", "json"});
  ASSERT_TRUE(std::holds_alternative<Invocation>(line));
  EXPECT_EQ(std::get<Invocation>(line).common.output, OutputFormat::json);
  EXPECT_EQ(std::get<GenSecretsRequest>(std::get<Invocation>(line).request).output, "x.yaml");
}

TEST(Gen, PatchesOfAMachineConfig) {
  const auto patch = parsed<MachineconfigPatchRequest>(
      {"machineconfig", "patch", "c.yaml", "--patch", "@a", "--patch", "{\"machine\": {}}"});
  EXPECT_EQ(patch.file, "c.yaml");
  EXPECT_EQ(patch.output, "-");
  EXPECT_THAT(patch.patches, ElementsAre("@a", "{\"machine\": {}}"));
}

}  // namespace
}  // namespace ichor
