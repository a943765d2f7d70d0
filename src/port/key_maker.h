#pragma once

#include "base/secret.h"

namespace ichor {

/// Makes RSA keys of 4096 bits beside everything else: one takes seconds.
class KeyMaker {
 public:
  virtual ~KeyMaker() = default;

  /// Starts to make a key.
  virtual void begin_rsa_key() = 0;
  /// The first key that was started and not taken yet, in PEM form; waits until it is made.
  virtual SecretString take_rsa_key() = 0;
};

}  // namespace ichor
