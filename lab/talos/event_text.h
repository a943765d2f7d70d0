#pragma once

#include <optional>
#include <string>

#include "lab/site.h"
#include "machine.pb.h"
#include "sim/node/node.h"

namespace ichor::lab {

/// The event as Talos streams it.
machine::Event to_wire(Site& site, Machine& machine, const sim::NodeEvent& event);
/// The first message of every stream: nothing happened yet.
machine::Event hello_event(Site& site, Machine& machine, const std::string& actor);

/// Event ids sort by time; the number at their end is the node's own.
std::string event_id(WallTime time, const BootId& boot, std::uint64_t number);
std::optional<std::uint64_t> number_of(const std::string& event_id);

/// "user: warning: [2026-11-15T19:46:38.5Z]: [talos] …": the kernel's log line of an event; empty
/// if it leaves none.
std::string kernel_line(Site& site, const sim::NodeEvent& event);
/// "2026-11-15T19:46:38.500Z".
std::string to_rfc3339(WallTime time);

}  // namespace ichor::lab
