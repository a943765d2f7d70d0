#pragma once

#include "model/call.h"
#include "web/http_connection.h"

namespace ichor {

/// What an answer other than 2xx means. The text is the server's own message, with the managers and
/// fields of a conflict, cut to a size that fits a line.
CallError error_of(Call call, const HttpAnswer& answer);

constexpr bool is_success(int status) { return status >= 200 && status < 300; }

}  // namespace ichor
