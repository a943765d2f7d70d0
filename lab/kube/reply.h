#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/kube/api.h"
#include "model/call.h"
#include "sim/kube/fields.h"

namespace ichor::lab {

KubeReply document(const nlohmann::json& body, int status = 200);
/// A Status object that says what is wrong; the server has no reason for all that it says.
KubeReply status_reply(int code, const char* reason, const std::string& message,
                       nlohmann::json details = {});
/// The same for an error of the model, about the object of this plural and name.
KubeReply error_reply(const CallError& error, const std::string& group, const std::string& plural,
                      const std::string& name);
/// The same for an apply that other managers' fields stand in the way of.
KubeReply conflict_reply(const std::vector<sim::FieldConflict>& conflicts);
/// How the server words a path that it has no handler for: as text.
KubeReply no_such_page();

}  // namespace ichor::lab
