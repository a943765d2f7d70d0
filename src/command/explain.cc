#include <fmt/format.h>

#include "command/commands.h"
#include "command/early.h"
#include "command/explain_id.h"
#include "command/finish.h"

namespace ichor {

Exit run(const ExplainRequest& request, const CommonOptions& common, Desk& desk) {
  auto explained = explain_id(request.id);
  if (explained) {
    return tell(std::move(explained->rows), explained->lines, std::move(explained->title), common,
                desk);
  }
  const std::string near = nearest_id(request.id);
  const std::string hint = near.empty()
                               ? "`ichor doctor --all` lists the faults"
                               : fmt::format("did you mean {0}? `ichor explain {0}`", near);
  return finish(end_with(Exit::usage, fmt::format("no fault and no lint rule has the ID {}; {}",
                                                  request.id, hint))
                    .value(),
                desk);
}

}  // namespace ichor
