#pragma once

#include <string>
#include <string_view>

#include "model/ids.h"

namespace ichor {

enum class Severity { note, warning, error };

std::string_view name_of(Severity severity);

/// Something the operator should know: what, where, why, and how to fix it. `id` is a row of the
/// fault catalogue ("E4") or of the lint rules, so that `ichor doctor ID` can explain it.
struct Finding {
  Severity severity{Severity::error};
  std::string id;
  NodeName node;      // empty: the cluster
  std::string where;  // file:line:column, or phase and call
  std::string what;
  std::string fix;
  std::string why{};   // what happens if it stays as it is; empty where `what` says it
  std::string page{};  // of docs/, with more to read; empty: there is none
};

}  // namespace ichor
