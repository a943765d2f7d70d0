#include "phase/image_check.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(ManifestUrl, IsWhereARegistryKeepsATag) {
  EXPECT_EQ(manifest_url("factory.example/installer/abc:v1.12.6"),
            "https://factory.example/v2/installer/abc/manifests/v1.12.6");
  EXPECT_EQ(manifest_url("127.0.0.1:5000/installer:v1"),
            "https://127.0.0.1:5000/v2/installer/manifests/v1");
}

TEST(ManifestUrl, IsNotGuessed) {
  for (const char* image : {"installer:v1", "siderolabs/installer:v1", "host.example/installer",
                            "host.example/installer@sha256:abc", "host:5000/installer"}) {
    EXPECT_FALSE(manifest_url(image)) << image;
  }
}

TEST(JudgeImage, OnlyWhatTheRegistrySaidCounts) {
  EXPECT_EQ(judge_image("i", 200).verdict, Verdict::passed);
  EXPECT_EQ(judge_image("i", 404).verdict, Verdict::failed);
  EXPECT_EQ(judge_image("i", 404).finding.id, "D2");
  EXPECT_EQ(judge_image("i", 401).verdict, Verdict::skipped);
  EXPECT_EQ(judge_image("i", std::nullopt).verdict, Verdict::skipped);
}

}  // namespace
}  // namespace ichor
