#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ichor {

/// Who ends a fault. Said here, before any run: no run may decide afterwards that what it met was
/// beyond recovery.
enum class Recovery {
  by_itself,     // when the disturbance is over the same run, or the next one, reaches its goal
  by_operator,   // ichor stops with a verdict, and the operator does what `steps` say
  before_start,  // found before anything is changed; fixed in the profile or the files
};

std::string_view name_of(Recovery recovery);

/// One way in which a bring-up goes wrong: a row of the fault catalogue. Ids never change their
/// meaning: errors, scenarios, tests and operators' notes name them.
struct Fault {
  std::string_view id;                  // "E4"
  std::string_view title;               // what happens
  std::string_view signs;               // how it shows itself
  std::string_view cause;               // why it happens
  std::string_view response;            // what ichor does about it by itself
  std::vector<std::string_view> steps;  // what the operator does, with NODE and PROFILE to fill in
  std::string_view holds;               // invariants that it must not break: "I1 I4"
  Recovery recovery{Recovery::by_itself};
};

/// What is true of every run, whatever happens to it.
struct Invariant {
  std::string_view id;  // "I13"
  std::string_view title;
  std::string_view promise;
};

/// A letter of the ids and what its faults have in common.
struct FaultFamily {
  char letter{'?'};
  std::string_view title;
};

/// All faults, by family and number.
std::span<const Fault> faults();
std::span<const Invariant> invariants();
std::span<const FaultFamily> fault_families();

/// nullptr if there is none. Case counts.
const Fault* find_fault(std::string_view id);
const Invariant* find_invariant(std::string_view id);

/// Whether the id has the form of a row or an invariant: a letter and a number. Lint rules are
/// called differently and have pages of their own.
bool is_fault_id(std::string_view id);

}  // namespace ichor
