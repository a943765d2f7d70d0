#include "machineconfig/secrets_from_config.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace ichor {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file("tests/golden/gen-config/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SecretsFromConfig, AControlPlaneGivesTheWholeBundleBack) {
  const auto taken = secrets_from_config(golden("controlplane.yaml"), "controlplane.yaml");
  ASSERT_TRUE(taken.has_value()) << taken.error().message;
  const auto original = pki::read_secrets(golden("secrets.yaml"), "secrets.yaml");
  EXPECT_EQ(pki::fingerprint_of(*taken), pki::fingerprint_of(*original));
}

TEST(SecretsFromConfig, TypedDocumentsGiveItBackToo) {
  const auto taken = secrets_from_config(golden("contract-1.14/controlplane.yaml"), "cp.yaml");
  ASSERT_TRUE(taken.has_value()) << taken.error().message;
  const auto original = pki::read_secrets(golden("secrets.yaml"), "secrets.yaml");
  EXPECT_EQ(pki::fingerprint_of(*taken), pki::fingerprint_of(*original));
}

TEST(SecretsFromConfig, AWorkerHasTooFew) {
  const auto taken = secrets_from_config(golden("worker.yaml"), "worker.yaml");
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().message,
            "worker.yaml: machine.ca.key is missing; this is not a control plane's config");
}

}  // namespace
}  // namespace ichor
