#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/request.h"
#include "doctor/fault.h"
#include "lint/rules.h"
#include "port/host.h"

namespace ichor {

/// All that has an ID: a row of the fault catalogue and a lint rule may share one.
struct Explained {
  std::vector<std::string> lines;            // for people
  std::vector<nlohmann::ordered_json> rows;  // for programs, each with its `kind`
  std::string title;                         // of the first
};

/// What has this ID, or is a lint finding of this name. Nothing if there is none.
std::optional<Explained> explain_id(const std::string& id);

/// Every ID of a fault, an invariant and a lint rule.
std::vector<std::string> all_ids();

/// The known ID that is nearest to a wrong one: spelled nearly so, or of the same letter with the
/// nearest number. Empty if none is near.
std::string nearest_id(const std::string& id);

/// Programs get rows of type `fault`, people a text.
Exit tell(std::vector<nlohmann::ordered_json> rows, const std::vector<std::string>& lines,
          std::string verdict, const CommonOptions& common, Host& host);

}  // namespace ichor
