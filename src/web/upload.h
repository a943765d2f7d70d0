#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ichor {

/// Hands a schematic to an Image Factory (POST URL/schematics) and gives the ID under which the
/// factory builds it from then on. Schematics are named by their content, so a second upload
/// changes nothing.
///
/// `url` is http:// or https://; certificates are checked against the machine's own authorities.
/// Blocks, at the latest until `limit` has passed. Errc::invalid for a URL that is none and for a
/// schematic that the factory refuses, with its words; Errc::io for everything on the way there.
Result<std::string> upload_schematic(const std::string& url, const std::string& schematic,
                                     Duration limit);

}  // namespace ichor
