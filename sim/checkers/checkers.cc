#include <memory>
#include <vector>

#include "sim/checkers/checker.h"

namespace ichor::sim {

/// Defined in make.h, instantiated in the file of each class.
template <class T>
std::unique_ptr<Checker> make_checker(const Truth& truth);

using Maker = std::unique_ptr<Checker> (*)(const Truth& truth);

/// All invariants that a simulated run is judged by. A new one is a file of its own and a line
/// here. Not in an anonymous namespace, because this is also where the classes are declared.
static constexpr Maker kCheckers[] = {
    make_checker<class BootstrapOnce>,        // I1
    make_checker<class FixedTarget>,          // I2
    make_checker<class UnknownIsNotNo>,       // I3
    make_checker<class NothingDestroyed>,     // I4
    make_checker<class RightNode>,            // I5
    make_checker<class RightBytes>,           // I6
    make_checker<class Convergence>,          // I7
    make_checker<class JournalBeforeEffect>,  // I8
    make_checker<class JournalIntegrity>,     // I9
    make_checker<class SecretsFixed>,         // I10
    make_checker<class NoSecretLeaves>,       // I11
    make_checker<class HonestExit>,           // I12
    make_checker<class BoundedTime>,          // I13
    make_checker<class BoundedRetry>,         // I14
    make_checker<class OneWriter>,            // I15
    make_checker<class MonotoneStages>,       // I16
    make_checker<class Quorum>,               // I17
    make_checker<class Credentials>,          // I18
    make_checker<class Attribution>,          // I19
    make_checker<class JournalOrder>,         // I20
    make_checker<class PromptCancel>,         // I21
    make_checker<class Resources>,            // I22
    make_checker<class Confinement>,          // I24; I23 takes two runs: i23_determinism.h
    make_checker<class BoundKey>,             // I25
    make_checker<class GatesFirst>,           // I26
    make_checker<class OwnRequests>,          // I27
    make_checker<class ForeignFields>,        // I28
    make_checker<class OneInstall>,           // I29
    make_checker<class SecretsStay>,          // I30
    make_checker<class NothingChanges>,       // I31
    make_checker<class TrueHandover>,         // I32
    make_checker<class OneMachine>,           // I33
    make_checker<class ForeignMachines>,      // I34
    make_checker<class NothingLost>,          // I35
    make_checker<class UpgradeQuorum>,        // I36
    make_checker<class OneAtATime>,           // I37
    make_checker<class PlannedVersion>,       // I38
    make_checker<class GentleDrain>,          // I39
};

std::vector<std::unique_ptr<Checker>> make_checkers(const Truth& truth) {
  std::vector<std::unique_ptr<Checker>> checkers;
  checkers.reserve(std::size(kCheckers));
  for (const Maker maker : kCheckers) checkers.push_back(maker(truth));
  return checkers;
}

namespace {

/// How old what a run knows may be: a watch that stands still, an API server that lags behind, and
/// a moment to think.
constexpr Duration kKnowledge = std::chrono::seconds(75);

}  // namespace

MonoTime Truth::known_from() const {
  const MonoTime now = clock.now();
  const bool just_back =
      resumed_at != MonoTime::min() && now - resumed_at <= kKnowledge && paused_at < resumed_at;
  return (just_back ? paused_at : now) - kKnowledge;
}

const Node* Truth::find(const NodeName& name) const {
  for (const auto& node : nodes) {
    if (node->spec().name == name) return node.get();
  }
  return nullptr;
}

}  // namespace ichor::sim
