#pragma once

#include <string>
#include <string_view>

#include "async/signal.h"
#include "async/task.h"

namespace ichor {

/// A named point that several actors must reach before others go on. It is closed until all who are
/// expected have arrived; it breaks, with the reason, when one of them never will.
class Barrier {
 public:
  Barrier(std::string_view name, int expected) : name_(name), missing_(expected) {}

  std::string_view name() const { return name_; }
  bool open() const { return missing_ <= 0 && !broken(); }
  bool broken() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }

  void arrive() {
    if (--missing_ <= 0) changed_.notify_all();
  }
  /// The first reason is kept: it is the cause, later ones follow from it.
  void break_with(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
    changed_.notify_all();
  }

  /// Until open or broken; Wake::signalled then, and the caller looks which.
  Task<Wake> passed(Context context) {
    while (!open() && !broken()) {
      const Wake wake = co_await changed_.wait(context);
      if (wake != Wake::signalled) co_return wake;
    }
    co_return Wake::signalled;
  }

 private:
  std::string_view name_;
  int missing_;
  std::string reason_;
  Signal changed_;
};

}  // namespace ichor
