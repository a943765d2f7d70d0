#pragma once

#include <string_view>

namespace ichor {

/// A planted bug, to prove that the simulator's checkers can fail. `mutant("name")` is constant
/// false in the product; in the extra binary `ichor-mutants` one name is selected at run time. A
/// mutant is one line of wrong behaviour behind this function and a row in sim/mutants.cc.
#ifdef ICHOR_MUTANTS
bool mutant(std::string_view name);
void select_mutant(std::string_view name);
#else
constexpr bool mutant(std::string_view) { return false; }
#endif

}  // namespace ichor
