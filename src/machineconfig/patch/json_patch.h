#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "machineconfig/typed_config.h"
#include "yaml/node.h"

namespace ichor {

/// One step of a JSON6902 patch. What is missing is noticed when it is applied.
struct JsonOperation {
  std::string op;
  std::optional<std::string> path;
  std::optional<std::string> from;
  std::optional<yaml::Node> value;
  yaml::Position at;
};

using JsonPatch = std::vector<JsonOperation>;

/// Reads the list of a JSON6902 patch, be it written as YAML or as JSON; nullopt if it is none.
std::optional<JsonPatch> read_json_patch(const yaml::Node& root);

/// Applies the steps to one document, as Talos does: `replace` of a key that is not there adds it,
/// and index -1 is the end of a list. The result is not held to any schema. Nothing is changed if a
/// step fails.
Result<void> apply_json_patch(const JsonPatch& patch, const std::string& file, yaml::Node& root);

/// The document as the JSON library of Talos sees it: numbers in their normal form, and `yes`,
/// `no`, `on` and `off` without quotes are booleans.
yaml::Node as_json(const yaml::Node& node);

/// A strategic merge patch that does the same, for people who must rewrite theirs; what cannot be
/// said in one is a comment.
std::string equivalent_strategic(const JsonPatch& patch);

/// The keys of a JSON pointer: "/machine/sysctls/a~1b" is machine, sysctls, a/b.
std::vector<std::string> split_pointer(const std::string& pointer);

}  // namespace ichor
