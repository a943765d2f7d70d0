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

TEST(RedactUrls, HidesParametersThatAreSecretByTheirName) {
  EXPECT_EQ(redact_urls("siderolink.api=grpc://omni:8090?jointoken=v2:eyJhbGci&x=1 quiet"),
            "siderolink.api=grpc://omni:8090?jointoken=***&x=1 quiet");
  EXPECT_EQ(redact_urls("talos.environment=TS_AUTHKEY=tskey-auth-1, OP_CONNECT_TOKEN=abc"),
            "talos.environment=TS_AUTHKEY=***, OP_CONNECT_TOKEN=***");
  EXPECT_EQ(redact_urls("https://h/x?X-Amz-Signature=00&sig=1&Key=2"),
            "https://h/x?X-Amz-Signature=***&sig=***&Key=***");
  EXPECT_EQ(redact_urls("console=ttyS0 net.ifnames=0 a=b"), "console=ttyS0 net.ifnames=0 a=b");
  EXPECT_EQ(redact_urls("kubectl create secret --from-file=token=FILE"),
            "kubectl create secret --from-file=token=FILE");
  EXPECT_EQ(redact_urls("password= x"), "password= x");
}

}  // namespace
}  // namespace ichor
