#include "cluster/journal_input.h"

#include <fmt/format.h>

namespace ichor {

OrEnd<ClusterJournal> open_journal(const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {}, host);
  if (!input) return forward_error(input);
  auto state = host.states.open_state(state_path(common, *input), ClusterStates::Missing::refuse);
  if (!state) {
    Error error = state.error();
    if (error.code == Errc::invalid) {
      error.message = "no run has worked on " + input->profile.name + " yet: " + error.message;
    }
    return end_with(error);
  }
  return ClusterJournal{*std::move(input), *std::move(state)};
}

RunResult no_such_run(const std::string& text, std::size_t runs) {
  return end_with(Exit::usage, fmt::format("\"{}\" names no run, or more than one; `ichor history` "
                                           "lists the {} runs of the journal",
                                           text, runs))
      .value();
}

}  // namespace ichor
