#pragma once

#include <memory>
#include <string_view>

#include "sim/network.h"

namespace ichor::sim {

/// One handshake of a process with one machine; `planned` is the node whose address was dialled.
std::unique_ptr<TalosSession> make_session(SimWorld& world, int process, Port& port,
                                           NodeName planned);

CallError lost(Call call, Progress progress, Code code, std::string_view text);

/// Of a call whose caller stopped waiting.
CallError ended(Call call, Wake wake);

/// What of an answer the checkers want to see.
template <class T>
Reply reply_of(const CallResult<T>& result) {
  Reply reply;
  if (!result) reply.error = result.error();
  return reply;
}

}  // namespace ichor::sim
