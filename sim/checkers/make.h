#pragma once

#include <memory>

#include "sim/checkers/checker.h"

namespace ichor::sim {

/// Makes the checker of class T. Only the file that defines T can instantiate this, and it says so
/// in its last line; checkers.cc then needs no more than the name of the class.
template <class T>
std::unique_ptr<Checker> make_checker(const Truth& truth) {
  return std::make_unique<T>(truth);
}

}  // namespace ichor::sim
