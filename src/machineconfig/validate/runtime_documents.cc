#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/go_scalar.h"
#include "machineconfig/go_url.h"
#include "machineconfig/validate/address.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_extension_service(const View& document, Report& report) {
  require_name(document, report);
  const View files = document["configFiles"];
  if (files.count() == 0 && document["environment"].count() == 0) {
    report.error(document, "an extension service needs configFiles or environment",
                 "add one of them");
  }
  for (const View& file : files.items()) {
    require_text(file, "content", report);
    require_text(file, "mountPath", report);
  }
}

void check_oom(const View& document, Report& report) {
  const View trigger = document["triggerExpression"];
  const View ranking = document["cgroupRankingExpression"];
  if (!trigger.empty()) {
    report.expression(trigger, "triggerExpression", cel::Place::oom_trigger);
  }
  if (!ranking.empty()) {
    report.expression(ranking, "cgroupRankingExpression", cel::Place::oom_ranking);
  }
  require_positive(document["sampleInterval"], "sampleInterval", report);
}

/// A URL with one of two schemes and nothing behind the host.
void check_url(const View& document, const char* key, std::string_view one, std::string_view other,
               Report& report) {
  const View value = document[key];
  const auto url = parse_go_url(value.text());
  const std::string fix = fmt::format("write {}://HOST:PORT", one);
  if (value.empty() || !url) {
    report.error(document, fmt::format("`{}` is missing", key), fix);
    return;
  }
  if (url->scheme != one && url->scheme != other) {
    report.error(value, fmt::format("{} must begin with {}:// or {}://", key, one, other), fix);
  }
  if (!url->path.empty() && url->path != "/") {
    report.error(value, fmt::format("{} must not have a path", key),
                 "remove what follows the host");
  }
}

void check_kmsg_log(const View& document, Report& report) {
  require_name(document, report);
  check_url(document, "url", "tcp", "udp", report);
  const auto url = parse_go_url(document["url"].text());
  if (!url || document["url"].empty()) return;
  const std::size_t colon = url->host.rfind(':');
  const std::size_t bracket = url->host.rfind(']');
  const bool port = colon != std::string::npos && colon + 1 < url->host.size() &&
                    (bracket == std::string::npos || bracket < colon);
  if (!port) report.error(document["url"], "url has no port", "write tcp://HOST:PORT");
}

void check_siderolink(const View& document, Report& report) {
  check_url(document, "apiUrl", "https", "grpc", report);
}

void check_event_sink(const View& document, Report& report) {
  const View endpoint = document["endpoint"];
  if (split_host_port(endpoint.text())) return;
  report.error(endpoint, fmt::format("`{}` is no endpoint", endpoint.text()), "write HOST:PORT");
}

void check_watchdog(const View& document, Report& report) {
  require_text(document, "device", report);
  const View timeout = document["timeout"];
  const auto duration = parse_go_duration(timeout.text());
  if (duration && *duration < std::chrono::seconds(10)) {
    report.error(timeout, "timeout must be at least 10s", "write `timeout: 1m`");
  }
}

void check_environment(const View& document, Report& report) {
  for (const auto& [key, value] : document["variables"].entries()) {
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const bool fits = !key.empty() && letter(key.front()) &&
                      std::all_of(key.begin(), key.end(),
                                  [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
    if (fits) continue;
    report.error(value, fmt::format("`{}` is not the name of an environment variable", key),
                 "use letters, digits and underscores");
  }
}

void warn_about_image(const View& rule, const std::string& pattern, Report& report) {
  const std::string fix = "name registry and repository only";
  if (pattern.find('@') != std::string::npos) {
    report.warning(rule["image"], "image has a digest, but digests are not looked at", fix);
  }
  const std::size_t slash = pattern.find('/');
  if (slash != std::string::npos && pattern.find(':', slash) != std::string::npos) {
    report.warning(rule["image"], "image has a tag, but tags are not looked at", fix);
  }
  if (slash == std::string::npos && pattern != "*" && !pattern.empty()) {
    report.warning(rule["image"],
                   "image has no slash, but short names are looked at as docker.io/…", fix);
  }
}

void check_image_rule(const View& rule, Report& report) {
  require_text(rule, "image", report);
  warn_about_image(rule, rule["image"].text(), report);
  const bool skip = rule["skip"].flag();
  const bool deny = rule["deny"].flag();
  const View keyless = rule["keyless"];
  const View public_key = rule["publicKey"];
  if (skip && deny) report.error(rule, "a rule cannot both skip and deny", "keep one of them");
  if ((skip || deny) && (keyless || public_key)) {
    report.error(rule, "a rule that skips or denies has no verifier", "remove the verifier");
  }
  if (!skip && !deny && !keyless && !public_key) {
    report.error(rule, "a rule needs a verifier", "add keyless or publicKey");
  }
  if (keyless && public_key) {
    report.error(rule, "a rule cannot have two verifiers", "keep keyless or publicKey");
  }
  if (keyless) {
    require_text(keyless, "issuer", report);
    if (keyless["subject"].empty() && keyless["subjectRegex"].empty()) {
      report.error(keyless, "keyless needs subject or subjectRegex", "add one of them");
    }
  }
  if (public_key) require_text(public_key, "certificate", report);
}

void check_image_verification(const View& document, Report& report) {
  for (const View& rule : document["rules"].items()) check_image_rule(rule, report);
}

}  // namespace

std::span<const DocumentRule> runtime_document_rules() {
  static constexpr DocumentRule list[] = {
      {"EnvironmentConfig", check_environment},
      {"EventSinkConfig", check_event_sink},
      {"ExtensionServiceConfig", check_extension_service},
      {"ImageVerificationConfig", check_image_verification},
      {"KmsgLogConfig", check_kmsg_log},
      {"OOMConfig", check_oom},
      {"SideroLinkConfig", check_siderolink},
      {"WatchdogTimerConfig", check_watchdog},
  };
  return list;
}

}  // namespace ichor::validate
