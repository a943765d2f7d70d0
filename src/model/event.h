#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "model/ids.h"
#include "model/node.h"

namespace ichor {

enum class EventKind {
  run_started,
  phase_started,
  waiting,   // a condition is unmet: text says which
  decided,   // an action will be taken
  acted,     // its outcome
  retrying,  // attempt N failed and will be repeated after a delay
  phase_done,
  phase_failed,
  stage_changed,
  barrier_opened,
  barrier_broken,
  finding,
  run_ended,
  blocked,  // a step cannot begin, because what it waits for was lost elsewhere: text says where
};

std::string_view name_of(EventKind kind);

/// What the core says while it works. Terminal, lines, JSON and the report are sinks of these; the
/// core never prints.
struct Event {
  EventKind kind{EventKind::waiting};
  MonoTime at{};
  NodeName node;           // empty: the cluster
  std::string_view phase;  // a name from phase/sequence.cc; lives for ever
  std::string text;
  Stage stage{Stage::unknown};
  int attempt{0};
};

}  // namespace ichor
