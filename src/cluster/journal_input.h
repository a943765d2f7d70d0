#pragma once

#include <memory>
#include <vector>

#include "cluster/profile_input.h"
#include "model/journal_record.h"
#include "model/or_end.h"
#include "port/host.h"

namespace ichor {

/// The cluster of a profile and its state folder, for commands that only read the journal.
struct ClusterJournal {
  ProfileInput input;
  std::unique_ptr<ClusterState> state;
};

/// Ends with exit 1 if no run of ichor has worked on the cluster yet. Takes no lock.
OrEnd<ClusterJournal> open_journal(const CommonOptions& common, Host& host);

/// How a command ends that was given the name of no run.
RunResult no_such_run(const std::string& text, std::size_t runs);

}  // namespace ichor
