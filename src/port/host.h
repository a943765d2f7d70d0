#pragma once

#include "port/cluster_access.h"
#include "port/cluster_state.h"
#include "port/environment.h"
#include "port/event_loop.h"
#include "port/files.h"
#include "port/key_maker.h"
#include "port/local_ports.h"
#include "port/programs.h"
#include "port/random.h"
#include "port/terminal.h"

namespace ichor {

/// The computer that a command runs on, as the ports that it consists of. Commands get all of them
/// and hand on what a function uses. Made in main.cc; tests have their own (port/test_host.h).
struct Host : LocalPorts {
  Terminal& terminal;
  EventLoop& loop;
  Random& random;
  KeyMaker& keys;
  ClusterStates& states;
  ClusterAccess& network;
};

}  // namespace ichor
