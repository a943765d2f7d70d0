#pragma once

#include <string>
#include <vector>

#include "base/secret.h"
#include "model/finding.h"
#include "yaml/node.h"

namespace ichor {

/// The values of decrypted files, to keep them out of what people see. Messages about such a file
/// are made by code that does not know where its text came from, so they are cleaned afterwards.
class SecretWords {
 public:
  /// Remembers all values of a decrypted text, and its lines if it is not YAML.
  void learn(const SecretString& text);

  /// The text with every such value replaced. Values of less than four bytes are no secrets.
  std::string hide(std::string text) const;
  void hide(std::vector<Finding>& findings) const;

 private:
  void learn(const yaml::Node& node);
  void add(std::string_view word);

  std::vector<SecretString> words_;  // the longest first
};

}  // namespace ichor
