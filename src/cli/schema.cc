#include "cli/command_list.h"

namespace ichor {

void declare_schema(FlagSet&, Request& request) { request.emplace<SchemaRequest>(); }

}  // namespace ichor
