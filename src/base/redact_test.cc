#include "base/redact.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(RedactUrls, HidesTheCredentialsAndKeepsTheRest) {
  EXPECT_EQ(redact_urls("`tcp://loki:geheim@10.0.0.5:6051/x` is no destination"),
            "`tcp://***@10.0.0.5:6051/x` is no destination");
  EXPECT_EQ(redact_urls("https://token@git.example.org and http://a:b@c@host:1"),
            "https://***@git.example.org and http://***@host:1");
  EXPECT_EQ(redact_urls("udp://127.0.0.1:6051, mail me@example.org"),
            "udp://127.0.0.1:6051, mail me@example.org");
  EXPECT_EQ(redact_urls("tcp://"), "tcp://");
  EXPECT_EQ(redact_urls("oci://ghcr.io/x@sha256:00"), "oci://ghcr.io/x@sha256:00");
}

}  // namespace
}  // namespace ichor
