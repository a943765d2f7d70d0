#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ichor {

/// For tests: system calls that fail on demand, and moments between two of them at which another
/// process does something. The linker leads the calls of src/journal here, by the list in
/// CMakeLists.txt. Only those of the thread that made this object are met, while it lives; the last
/// one made is the one that counts.
class FaultCalls {
 public:
  FaultCalls();
  FaultCalls(const FaultCalls&) = delete;
  FaultCalls& operator=(const FaultCalls&) = delete;
  ~FaultCalls();

  /// The `at`-th call from now fails with `error`, once; of any name, or of this one.
  void fail(int error, int at) { fail("", error, at); }
  void fail(std::string name, int error, int at = 1);
  /// The name of the call that was made to fail; empty if none was.
  const std::string& failed() const { return failed_; }

  /// What another process does just before each of the next `times` calls of this name.
  void before(std::string name, std::function<void()> act, int times = 1);

  /// From now on this process is another user's.
  void change_user() { other_user_ = true; }

  // For the wrappers.
  /// True if this call fails, with errno set.
  bool meet(std::string_view name);
  bool other_user() const { return other_user_; }
  /// The one of this thread, or null.
  static FaultCalls* current();

 private:
  struct Act {
    std::function<void()> act;
    int times{0};
  };

  FaultCalls* const outer_;
  std::string name_;
  int error_{0};
  int left_{0};  // calls until the one that fails; 0 if none will
  std::string failed_;
  std::map<std::string, Act, std::less<>> before_;
  bool acting_{false};
  bool other_user_{false};
};

}  // namespace ichor
