#pragma once

#include "port/environment.h"
#include "port/files.h"
#include "port/programs.h"

namespace ichor {

/// What readers of files work with that may be encrypted: the files, and the variables and programs
/// that lead to the user's keys.
struct LocalPorts {
  Files& files;
  Environment& environment;
  Programs& programs;
};

}  // namespace ichor
