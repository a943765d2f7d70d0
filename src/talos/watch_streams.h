#pragma once

#include <memory>

#include "async/bell.h"
#include "port/talos_api.h"
#include "talos/connection.h"

namespace ichor {

/// Opens the merged stream of TalosSession::watch and returns when every part of it stands: what
/// changes from then on rings the bell. A part that the node does not serve is left out, except for
/// the machine status.
Task<CallResult<std::unique_ptr<Watch>>> open_watch(Context context,
                                                    std::shared_ptr<Connection> connection,
                                                    Bell& changed);

}  // namespace ichor
