#include "kube/kube_status.h"

#include <fmt/format.h>

#include "base/clean_text.h"
#include "model/json.h"

namespace ichor {

namespace {

constexpr std::size_t kShownMax = 600;
constexpr std::size_t kCausesMax = 10;
constexpr JsonLimits kStatusLimits{.bytes_max = 1u << 20, .weight_max = 16u << 20};

Code code_of(int status, const std::string& reason) {
  switch (status) {
    case 401: return Code::unauthenticated;
    case 403: return Code::permission_denied;
    case 404: return Code::not_found;
    case 409: return reason == "AlreadyExists" ? Code::already_exists : Code::aborted;
    case 410: return Code::out_of_range;
    case 429: return Code::resource_exhausted;
    default: break;
  }
  if (status >= 500) return Code::unavailable;
  return status >= 400 ? Code::invalid_argument : Code::unknown;
}

/// `.spec.replicas is owned by "helm"` for each cause of a conflict, or what else it says.
std::string causes_of(const nlohmann::json& status) {
  const auto details = status.find("details");
  if (details == status.end() || !details->is_object()) return {};
  const auto causes = details->find("causes");
  if (causes == details->end() || !causes->is_array()) return {};
  std::string text;
  std::size_t count = 0;
  for (const auto& cause : *causes) {
    if (!cause.is_object() || ++count > kCausesMax) break;
    const std::string field = text_in(cause, "field");
    const std::string message = text_in(cause, "message");
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", field, field.empty() ? "" : ": ",
                        message);
  }
  return text;
}

}  // namespace

CallError error_of(Call call, const HttpAnswer& answer) {
  const std::string_view body = answer.body.reveal();
  const auto status = parse_json(body, kStatusLimits);
  std::string reason;
  std::string text(body.substr(0, kShownMax));
  if (status && text_in(*status, "kind") == "Status") {
    reason = text_in(*status, "reason");
    if (std::string message = text_in(*status, "message"); !message.empty()) text = message;
    // A conflict says its causes in the details only; other messages repeat them.
    if (reason == "Conflict") {
      const std::string causes = causes_of(*status);
      if (!causes.empty()) text = causes;
    }
  }
  if (text.empty()) text = fmt::format("HTTP {}", answer.status);
  return {call, Progress::answered, TlsVerdict::fine, code_of(answer.status, reason),
          clean_text(text, kShownMax)};
}

}  // namespace ichor
