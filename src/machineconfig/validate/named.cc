#include "machineconfig/validate/named.h"

#include <fmt/format.h>

#include "machineconfig/go_scalar.h"
#include "machineconfig/validate/address.h"

namespace ichor::validate {

void require_name(const View& document, Report& report) { require_text(document, "name", report); }

void require_address_name(const View& document, Report& report) {
  const View name = document["name"];
  if (is_ip(name.text())) return;
  report.error(name, fmt::format("the name must be an IP address, not `{}`", name.text()),
               "write `name: 10.0.0.5`");
}

void require_text(const View& document, std::string_view key, Report& report) {
  if (!document[key].empty()) return;
  report.error(document, fmt::format("`{}` is missing", key), fmt::format("add `{}`", key));
}

void require_positive(const View& duration, std::string_view key, Report& report) {
  if (!duration.text().starts_with('-')) return;
  report.error(duration, fmt::format("{} cannot be below zero", key), "write it as 10s");
}

void require_scrub_interval(const View& interval, Report& report) {
  const auto duration = parse_go_duration(interval.text());
  if (!duration || *duration == Duration::zero() || *duration >= std::chrono::seconds(10)) return;
  report.error(interval, "the interval of scrubbing must be at least 10s", "write 24h");
}

}  // namespace ichor::validate
