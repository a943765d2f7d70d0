#include "port/scout.h"

namespace ichor {

namespace {

/// Keeps an answer; false if the session is lost.
template <class T>
bool take(CallResult<T> answer, std::optional<T>& target, Sighting& seen) {
  if (answer) {
    target = *std::move(answer);
    return true;
  }
  // A node in maintenance mode does not serve everything.
  const CallError& error = answer.error();
  const bool unserved =
      error.progress == Progress::answered &&
      (error.code == Code::unimplemented || error.code == Code::permission_denied);
  if (!unserved && !seen.trouble) seen.trouble = error;
  return error.progress == Progress::answered;
}

}  // namespace

Task<void> read_machine(Context context, TalosSession& session, ProbeOptions options,
                        Sighting& seen) {
  bool open = take(co_await session.identity(context.within(options.call)), seen.identity, seen);
  if (options.depth == ProbeDepth::identity) co_return;
  if (open) {
    open = take(co_await session.machine_status(context.within(options.call)), seen.status, seen);
  }
  if (open) open = take(co_await session.version(context.within(options.call)), seen.version, seen);
  if (open) open = take(co_await session.disks(context.within(options.call)), seen.disks, seen);
  if (open) take(co_await session.hardware(context.within(options.call)), seen.hardware, seen);
}

}  // namespace ichor
