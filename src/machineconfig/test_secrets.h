#pragma once

#include <fstream>
#include <sstream>

#include "secrets/secrets_bundle.h"

namespace ichor {

/// The secrets that the golden configs of tests/golden/gen-config were made with.
inline pki::SecretsBundle golden_secrets() {
  std::ifstream file("tests/golden/gen-config/secrets.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return *pki::read_secrets(text.str(), "secrets.yaml");
}

}  // namespace ichor
