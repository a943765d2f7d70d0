#include "base/mutant.h"

#ifdef ICHOR_MUTANTS
#include <string>

namespace ichor {

namespace {
std::string selected;  // set once before the first thread starts
}  // namespace

bool mutant(std::string_view name) { return selected == name; }
void select_mutant(std::string_view name) { selected = name; }

}  // namespace ichor
#endif
