#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/mapping_reader.h"
#include "profile/reader_inputs.h"
#include "profile/recipe.h"
#include "yaml/node.h"

namespace ichor {

/// What holds for the whole cluster and goes into every node's recipe.
struct TalconfigCluster {
  std::string name;
  std::string version;  // "v1.12.6", as it is written behind images
  TalosVersion talos;
  std::string registry{"factory.talos.dev"};
  std::string installer_template;
  yaml::Node cni;
  yaml::Node inline_manifests;  // with their contents read
  std::vector<std::string> pod_subnets, service_subnets, machine_sans, api_sans;
  std::vector<yaml::Node> patches;
};

/// Reads texts that talconfig.yaml names with an @, with variables substituted.
class TalconfigFiles {
 public:
  TalconfigFiles(ReadingLog& log, const ReaderInputs& inputs,
                 std::map<std::string, std::string> own_variables)
      : log_(log), inputs_(inputs), own_(std::move(own_variables)) {}

  std::optional<std::string> variable(const std::string& name) const;
  /// A value, or the content of the file that it names; reports what cannot be read.
  std::optional<std::string> content(const yaml::Node& value, bool substituted);
  /// A patch: itself, or the file that it names, with variables substituted in its values.
  std::optional<RecipePatch> patch(const yaml::Node& value);
  /// The same for a name without an @.
  std::optional<RecipePatch> named(const yaml::Node& value, std::string path);

 private:
  std::optional<std::string> load(const yaml::Node& value, const std::string& path);

  ReadingLog& log_;
  const ReaderInputs& inputs_;
  std::map<std::string, std::string> own_;
};

/// One node of talconfig.yaml, merged with what its role says: a value of the node counts unless it
/// is empty, patches of the role come first, SANs and extra manifests of the role last.
class TalconfigNode {
 public:
  TalconfigNode(const yaml::Node& own, const yaml::Node& role) : own_(own), role_(role) {}

  /// nullptr if neither says anything.
  const yaml::Node* find(std::string_view key) const;
  std::string text(std::string_view key) const;
  bool flag(std::string_view key) const;
  bool control_plane() const { return flag("controlPlane"); }
  /// The items of both; `own_first` says in which order. With the flag `override_key` only its own.
  std::vector<const yaml::Node*> joined(std::string_view key, std::string_view override_key,
                                        bool own_first) const;

 private:
  const yaml::Node& own_;
  const yaml::Node& role_;
};

/// The recipe of one node. Reports what cannot be read.
NodeRecipe node_recipe(const TalconfigCluster& cluster, const TalconfigNode& node,
                       TalconfigFiles& files, ReadingLog& log);

}  // namespace ichor
