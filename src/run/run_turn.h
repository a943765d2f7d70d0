#pragma once

#include "engine/run_lock.h"
#include "model/ids.h"
#include "model/or_end.h"
#include "model/run_result.h"
#include "port/host.h"

namespace ichor {

/// One run of several parts, for example machines at a provider and then the nodes on them: all
/// parts hold this lock and write under this id, so no other run can start between them.
struct RunTurn {
  RunId id;
  RunLock lock;
};

RunId new_run_id(Random& random);

/// Takes the lock of the journal. If another run holds it, the command ends with L7.
OrEnd<RunTurn> take_turn(Journal& journal, Host& host);

/// Writes down how a run of the cluster ended between two of its parts, or before the first. A part
/// writes its own start and end.
void end_turn(Journal& journal, const RunTurn& turn, const std::string& cluster,
              const RunResult& result, Host& host);

}  // namespace ichor
