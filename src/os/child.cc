#include "os/child.h"

#include <csignal>
#include <utility>

#include "os/loop_clock.h"
#include "os/loop_processes.h"
#include "os/signals.h"

namespace ichor {

Result<ProcessResult> run_child(ProcessCall call, const ChildPlace& place) {
  LoopClock loop;
  LoopProcesses processes(loop, place.path, place.home);
  const auto path = processes.find(call.program);
  if (!path) {
    return fail(Errc::invalid, call.program + ": there is no such program in PATH");
  }
  call.program = *path;
  CancelScope scope;
  int signal = 0;
  Result<ProcessResult> result;
  {
    const StopSignals signals(loop, [&](int number) {
      signal = number;
      scope.cancel();
    });
    const auto work = [&]() -> Task<void> {
      result = co_await processes.run({&loop, &scope, kNever}, std::move(call));
      loop.stop();
    };
    Task<void> task = work();
    loop.post([&task] { task.start(); });
    loop.run();
  }
  // The program got the signal; now the signal does to this process what it would have done before.
  if (signal != 0) std::raise(signal);
  return result;
}

}  // namespace ichor
