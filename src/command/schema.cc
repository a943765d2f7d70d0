#include "command/commands.h"
#include "profile/json_schema.h"

namespace ichor {

Exit run(const SchemaRequest&, const CommonOptions&, Host& host) {
  host.terminal.out() << profile_schema();
  return Exit::done;
}

}  // namespace ichor
