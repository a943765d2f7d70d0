#include "tests/grpc/measure.h"

#include "async/task_group.h"
#include "bench/usage.h"
#include "interop.pb.h"
#include "tests/grpc/caller.h"

namespace ichor {

namespace {

Task<void> call_until_none_is_left(Context context, grpc::Channel& channel, int& left,
                                   bool& failed) {
  Caller caller(context, channel);
  while (left > 0 && !failed) {
    --left;
    ::grpc::testing::Empty response;
    co_await caller.unary("EmptyCall", ::grpc::testing::Empty(), response);
    if (!caller.fine()) failed = true;
  }
}

Task<bool> make_calls(Context context, grpc::Channel& channel, int calls, int at_once) {
  bool failed = false;
  TaskGroup group(context);
  for (int i = 0; i < at_once; ++i) {
    group.spawn(call_until_none_is_left(context, channel, calls, failed));
  }
  co_await group.join();
  co_return !failed;
}

}  // namespace

Task<void> measure_rate(Context context, grpc::Channel& channel, int calls, int at_once,
                        std::string& result) {
  const bool warm = co_await make_calls(context, channel, at_once, at_once);
  if (!warm) co_return;
  const Usage before = Usage::now();
  const bool fine = co_await make_calls(context, channel, calls, at_once);
  if (fine) result = Usage::now().since(before);
}

}  // namespace ichor
