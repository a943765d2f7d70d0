#pragma once

#include <string_view>

#include "machineconfig/validate/report.h"
#include "machineconfig/validate/view.h"

namespace ichor::validate {

// Rules that many typed documents share.

/// `name` is there.
void require_name(const View& document, Report& report);
/// `name` is an IP address.
void require_address_name(const View& document, Report& report);
/// A text that must be there.
void require_text(const View& document, std::string_view key, Report& report);
/// A duration that is not below zero.
void require_positive(const View& duration, std::string_view key, Report& report);

/// Nothing, or at least ten seconds.
void require_scrub_interval(const View& interval, Report& report);

}  // namespace ichor::validate
