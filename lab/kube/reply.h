#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/kube/api.h"
#include "model/call.h"

namespace ichor::lab {

KubeReply document(const nlohmann::json& body, int status = 200);
/// A Status object that says what is wrong.
KubeReply status_reply(int code, const char* reason, const std::string& message,
                       nlohmann::json details = {});
/// The same for an error of the model, about the object of this plural and name.
KubeReply error_reply(const CallError& error, const std::string& group, const std::string& plural,
                      const std::string& name);

}  // namespace ichor::lab
