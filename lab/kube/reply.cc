#include "lab/kube/reply.h"

#include <fmt/format.h>

namespace ichor::lab {

namespace {

using nlohmann::json;

struct Meaning {
  Code code;
  int status;
  const char* reason;
};

constexpr Meaning kMeanings[] = {
    {Code::invalid_argument, 422, "Invalid"},
    {Code::not_found, 404, "NotFound"},
    {Code::already_exists, 409, "AlreadyExists"},
    {Code::permission_denied, 403, "Forbidden"},
    {Code::aborted, 409, "Conflict"},
    {Code::out_of_range, 410, "Expired"},
    {Code::unavailable, 503, "ServiceUnavailable"},
};

}  // namespace

KubeReply document(const json& body, int status) {
  return {status, "application/json", body.dump() + "\n", {}};
}

KubeReply status_reply(int code, const char* reason, const std::string& message, json details) {
  json body = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
               {"status", "Failure"}, {"message", message}, {"code", code}};
  if (reason) body["reason"] = reason;
  if (!details.is_null()) body["details"] = std::move(details);
  return document(body, code);
}

KubeReply error_reply(const CallError& error, const std::string& group, const std::string& plural,
                      const std::string& name) {
  json details{{"kind", plural}};
  if (!name.empty()) details["name"] = name;
  if (!group.empty()) details["group"] = group;
  for (const Meaning& meaning : kMeanings) {
    if (meaning.code == error.code) {
      return status_reply(meaning.status, meaning.reason, error.text, std::move(details));
    }
  }
  return status_reply(500, "InternalError", error.text, std::move(details));
}

KubeReply conflict_reply(const std::vector<sim::FieldConflict>& conflicts) {
  json causes = json::array();
  for (const sim::FieldConflict& conflict : conflicts) {
    causes.push_back({{"reason", "FieldManagerConflict"},
                      {"message", fmt::format("conflict with \"{}\"", conflict.manager)},
                      {"field", sim::to_text(conflict)}});
  }
  json details;
  details["causes"] = std::move(causes);
  return status_reply(409, "Conflict", sim::to_text(conflicts), std::move(details));
}

KubeReply no_such_page() {
  return {404, "text/plain; charset=utf-8", "404 page not found\n", std::nullopt};
}

}  // namespace ichor::lab
