#include "cli/version.h"

#include "cli/command_list.h"

namespace ichor {

std::string_view version() { return ICHOR_VERSION; }

std::string_view commit() { return ICHOR_COMMIT; }

void declare_version(FlagSet&, Request& request) { request.emplace<VersionRequest>(); }

}  // namespace ichor
