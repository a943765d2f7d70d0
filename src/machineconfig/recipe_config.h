#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "machineconfig/contract.h"
#include "machineconfig/patch/patch.h"
#include "model/config_set.h"
#include "model/finding.h"
#include "profile/recipe.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

/// Makes the machine configs that a recipe describes. What several nodes share, patches and the
/// config before them, is read once.
class RecipeCook {
 public:
  RecipeCook(const ClusterRecipe& cluster, const Contract& contract,
             const pki::SecretsBundle& secrets);
  RecipeCook(const RecipeCook&) = delete;
  RecipeCook& operator=(const RecipeCook&) = delete;
  ~RecipeCook();

  /// The config of one node. The error says where it came from.
  Result<std::vector<yaml::Node>> config(const NodeRecipe& node);

  /// Effects of patches that must be mistakes, each once.
  std::vector<Finding> findings;

 private:
  Result<ConfigDocuments> base_of(const NodeRecipe& node);
  Result<std::vector<yaml::Node>> generated(const NodeRecipe& node, std::string image);
  Result<std::vector<Patch>> patches_of(const NodeRecipe& node);
  Result<std::string> image_of(const NodeRecipe& node);
  void take_findings(std::vector<Finding> found);
  Result<std::vector<yaml::Node>> as_typed(std::vector<yaml::Node> documents);

  const ClusterRecipe& cluster_;
  /// A recipe says what it wants in the form before typed documents. Where the cluster's contract
  /// has those, its configs are made by the contract before, and converted.
  const bool converts_;
  const Contract& contract_;
  const pki::SecretsBundle& secrets_;
  std::map<std::pair<std::string, std::string>, Patch> patches_;  // by name and text
  std::map<std::string, std::string> schematics_;                 // ID by text
  std::map<std::string, ConfigDocuments> bases_;                  // by all that makes them differ
};

/// The configs of the profile's nodes.
Result<ConfigSet> cook_all(const ClusterProfile& profile, const ClusterRecipe& recipe,
                           const pki::SecretsBundle& secrets);

/// The kinds of documents that the nodes' configs have before patches in the old form are applied.
/// None without a template: what ichor generates for a recipe is converted with its patches.
std::set<std::string, std::less<>> base_kinds(const ClusterRecipe& recipe);

/// What is wrong with a recipe's patches, without its secrets.
std::vector<Finding> check_recipe(const ClusterRecipe& recipe);

}  // namespace ichor
