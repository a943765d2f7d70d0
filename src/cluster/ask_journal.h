#pragma once

#include <csignal>
#include <utility>

#include "model/or_end.h"
#include "port/event_loop.h"
#include "port/journal.h"

namespace ichor {

/// Waits for what a command asks a journal: `ask` makes the task from a context. A signal ends the
/// command, whatever the answer was.
template <class Ask>
auto ask_journal(EventLoop& loop, Ask ask) {
  using Answer = decltype(ask(std::declval<Context>()).take());
  using Value = typename Answer::value_type;
  CancelScope scope;
  Answer answer = fail(Errc::cancelled, "the journal was not asked");
  const auto into = [&](Context context) -> Task<void> { answer = co_await ask(context); };
  const int signal = loop.drive(into({&loop.clock(), &scope}), scope);
  if (signal == SIGTERM) return OrEnd<Value>(end_with(Exit::terminated, "terminated"));
  if (signal != 0) return OrEnd<Value>(end_with(Exit::interrupted, "interrupted"));
  if (!answer) return OrEnd<Value>(end_with(answer.error()));
  if constexpr (std::is_void_v<Value>) {
    return OrEnd<Value>();
  } else {
    return OrEnd<Value>(*std::move(answer));
  }
}

inline OrEnd<std::vector<JournalRecord>> read_journal(Journal& journal, EventLoop& loop) {
  return ask_journal(loop, [&](Context context) { return journal.read(context); });
}

}  // namespace ichor
