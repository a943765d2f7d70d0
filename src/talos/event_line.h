#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine.pb.h"

namespace ichor {

/// An event of a node as one line for people: "service etcd Waiting: waiting for etcd spec". Empty
/// for what says nothing: the greeting of a stream, and kinds that are unknown.
std::string event_line(const machine::Event& event);

/// The last `count` lines that are not empty, fit to be shown.
std::vector<std::string> last_lines(std::string_view text, int count);

}  // namespace ichor
