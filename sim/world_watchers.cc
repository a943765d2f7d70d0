// Who watches a simulated world, and what its profile asks of a run.

#include "sim/world.h"

namespace ichor::sim {

void SimWorld::add(std::unique_ptr<Checker> watcher) {
  listen_for(*watcher);
  checkers_.push_back(std::move(watcher));
}

void SimWorld::listen_for(Checker& checker) {
  if (checker.watches(Checker::Reads::requests)) request_watchers_.push_back(&checker);
  if (checker.watches(Checker::Reads::replies)) reply_watchers_.push_back(&checker);
  if (checker.hears()) listeners_.push_back(&checker);
}

bool SimWorld::reached(const RunResult& result) const {
  const bool ends_without_cni = plan_.line == Line::talos && profile_.talos.cni_none;
  return result.exit == Exit::done || (ends_without_cni && result.exit == Exit::cni_pending);
}

}  // namespace ichor::sim
