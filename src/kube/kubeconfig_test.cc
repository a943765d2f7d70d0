#include "kube/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "secrets/base64.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

/// An admin kubeconfig as Talos hands it out, with more lines where a test wants them.
std::string kubeconfig(const std::string& more_cluster = {}, const std::string& more_user = {},
                       const std::string& server = "https://192.168.22.100:6443") {
  return "apiVersion: v1\nkind: Config\nclusters:\n- name: infra\n  cluster:\n    server: " +
         server + "\n    certificate-authority-data: " + pki::base64("CA") + "\n" + more_cluster +
         "users:\n- name: admin@infra\n  user:\n    client-certificate-data: " +
         pki::base64("CERT") + "\n    client-key-data: " + pki::base64("KEY") + "\n" + more_user +
         "contexts:\n- name: admin@infra\n  context:\n    cluster: infra\n    namespace: default\n"
         "    user: admin@infra\ncurrent-context: admin@infra\n";
}

std::string refusal(const std::string& text) {
  const auto access = read_kubeconfig(SecretString(text));
  return access ? "taken" : access.error().message;
}

TEST(Kubeconfig, GivesServerAuthorityAndIdentity) {
  const auto access = read_kubeconfig(SecretString(kubeconfig()));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->host, "192.168.22.100");
  EXPECT_EQ(access->port, 6443);
  EXPECT_EQ(access->ca_pem, "CA");
  EXPECT_EQ(access->client_cert_pem, "CERT");
  EXPECT_EQ(access->client_key_pem.reveal(), "KEY");
}

TEST(Kubeconfig, TakesEveryFormOfAServer) {
  struct Case {
    const char* server;
    const char* host;
    int port;
  };
  for (const Case& the : {Case{"https://api.example.org", "api.example.org", 443},
                          Case{"https://[fd00::1]:6443", "fd00::1", 6443},
                          Case{"https://10.0.0.1:8443/", "10.0.0.1", 8443}}) {
    const auto access = read_kubeconfig(SecretString(kubeconfig("", "", the.server)));
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->host, the.host);
    EXPECT_EQ(access->port, the.port);
  }
  EXPECT_THAT(refusal(kubeconfig("", "", "http://10.0.0.1")), HasSubstr("not reached by https"));
  EXPECT_THAT(refusal(kubeconfig("", "", "https://10.0.0.1:99999")), HasSubstr("port"));
}

TEST(Kubeconfig, RefusesWhatRunsReadsOrSwitchesOff) {
  EXPECT_THAT(refusal(kubeconfig("", "    exec:\n      command: /bin/sh\n")), HasSubstr("exec"));
  EXPECT_THAT(refusal(kubeconfig("", "    auth-provider: {name: gcp}\n")),
              HasSubstr("auth-provider"));
  EXPECT_THAT(refusal(kubeconfig("", "    client-key: /etc/shadow\n")), HasSubstr("client-key "));
  EXPECT_THAT(refusal(kubeconfig("    insecure-skip-tls-verify: true\n")),
              HasSubstr("insecure-skip-tls-verify"));
  EXPECT_THAT(refusal(kubeconfig("    proxy-url: http://evil\n")), HasSubstr("proxy-url"));
}

TEST(Kubeconfig, RefusesWhatIsNone) {
  EXPECT_NE(refusal(""), "taken");
  EXPECT_NE(refusal("{}"), "taken");
  EXPECT_NE(refusal("\x1f\x8b garbage"), "taken");
  EXPECT_NE(refusal("current-context: nowhere\n"), "taken");
}

}  // namespace
}  // namespace ichor
