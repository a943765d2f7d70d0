#pragma once

#include <string>
#include <string_view>

#include "lab/site.h"
#include "lab/talos/exchange.h"
#include "sim/node/node.h"

namespace ichor::lab {

/// The machine that `via`'s apid reaches at `target`, or what it answers instead: no machine,
/// no listener, or a certificate that it does not trust.
sim::Answer<Machine*> reach(Site& site, Machine& via, const std::string& target);

/// Whether a method may be called with these roles, by what the node says in its
/// present state. Says no in Talos' words, also for methods that do not exist.
sim::Answer<const Method*> admit(Machine& machine, Roles roles, bool maintenance,
                                 std::string_view path);

/// One node's part of an answer that was gathered from several: the reply with the node's name
/// added. A unary reply has its items in field 1, a streamed message is an item itself.
std::string with_origin(std::string_view message, const std::string& node, bool streamed);
/// The same for a node whose call failed.
std::string failed_part(const std::string& node, Code code, const std::string& text, bool streamed);

}  // namespace ichor::lab
