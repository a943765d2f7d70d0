#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "base/result.h"
#include "base/secret.h"

namespace ichor {

/// A program to run. Secrets go into variables or the input: arguments can be seen by everybody on
/// the machine.
struct ProcessCall {
  std::string program;                           // absolute
  std::vector<std::string> arguments;            // without the program's name
  std::map<std::string, std::string> variables;  // all that it sees besides HOME and PATH
  SecretString input;
  std::string folder;  // where it works; empty: where we do
  Duration limit{std::chrono::minutes(5)};
  /// It sees our own variables too. For this very program only.
  bool inherits{false};
  /// Gets each line of output as it comes, and `errors` each of standard error; the result then has
  /// none of them.
  std::function<void(std::string_view)> output_line{}, error_line{};
  /// If the context ends first, the program is asked to end and gets this long; its result still
  /// comes. Without it nothing waits for a program that was called off.
  Duration grace{};
  /// A file that stays locked as long as the program, or one that it started, lives: also after we
  /// are gone. See is_held(). Empty: none.
  std::string hold{};
};

struct ProcessResult {
  int exit{0};  // 128 and the signal that ended it
  SecretString output;
  std::string errors;  // the end of its standard error, fit for a terminal
};

/// Runs other programs beside us: no shell, a process group of their own that is killed as a whole
/// when the limit or the context ends. Output beyond 64 MiB is an error.
class Processes {
 public:
  virtual ~Processes() = default;

  /// The absolute path of a program that PATH leads to; nothing if there is none.
  virtual std::optional<std::string> find(const std::string& name) = 0;

  /// Whether a program that was run with this `hold` still lives. It may be of an earlier run.
  virtual bool is_held(const std::string& hold) = 0;

  /// Errc::invalid if there is no such program, locked if another one has its `hold`, out_of_time
  /// and cancelled as they say, io if it cannot be run. A program that ends badly is no error here:
  /// see `exit`.
  virtual Task<Result<ProcessResult>> run(Context context, ProcessCall call) = 0;
};

}  // namespace ichor
