#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/node/spec.h"
#include "yaml/node.h"

namespace ichor::sim {

/// Which keys a config document knows. What is not described is free: any value is taken there.
class ConfigSchema {
 public:
  /// Reads the notation of config_schema.cc: `{a b{c} d[]{e} f<>{g}}` is a mapping with the keys a,
  /// b, d and f, where d is a list and f a mapping with free keys of such mappings.
  static ConfigSchema parse(std::string_view notation);

  /// The part of a value that is unknown, in the form in which Talos prints it; nullopt if all is
  /// known.
  std::optional<yaml::Node> unknown_part(const yaml::Node& value) const;

 private:
  enum class Shape { free, mapping, list, keyed };
  using Field = std::pair<std::string, std::unique_ptr<ConfigSchema>>;

  static ConfigSchema parse_shape(std::string_view& notation);

  Shape shape_{Shape::free};
  std::vector<Field> fields_;           // mapping
  std::unique_ptr<ConfigSchema> each_;  // list, keyed
};

/// The schema of a kind, "v1alpha1" for the document without kind; nullptr if the version does not
/// know it. Of kinds that the model takes nothing from only the name is known.
const ConfigSchema* schema_of(std::string_view kind, Personality personality);

}  // namespace ichor::sim
