#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_profile.h"
#include "yaml/node.h"

namespace ichor {

/// A value that is put into the v1alpha1 document.
struct ConfigEdit {
  enum class How { set, append };  // append: the items of a list
  std::vector<std::string> path;
  yaml::Node value;
  How how{How::set};
};

/// A patch in its final form: substituted and decrypted, not yet read.
struct RecipePatch {
  std::string name;  // its file, or where it stands
  std::string text;
};

/// How the machine config of one node is made out of Talos' own: edits, then documents, which merge
/// as one patch, then patches one after the other, then documents that are added as they are.
struct NodeRecipe {
  NodeName node;
  Role role{Role::worker};
  std::string file_name;
  std::string install_image;  // with kSchematicId for the ID
  yaml::Node schematic;       // null: the plain one
  std::vector<ConfigEdit> edits;
  std::vector<yaml::Node> documents;
  std::vector<RecipePatch> patches;
  std::vector<RecipePatch> extra_documents;
};

/// Stands for the ID of the node's schematic.
inline constexpr std::string_view kSchematicId = "<schematic>";

/// A template that a node's config begins with, in place of what Talos would generate.
struct BaseTemplate {
  std::string file;
  std::string text;
  yaml::Node variables;  // a mapping, or null
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> parts;  // the templates that it includes, imports or extends
};

/// How the configs of a cluster are made, for formats that say more than a ClusterProfile can.
struct ClusterRecipe {
  std::string cluster_name;
  std::string endpoint;
  std::string kubernetes_version;
  std::string dns_domain;
  TalosVersion version;
  bool allow_scheduling_on_control_planes{false};
  std::optional<BaseTemplate> base;
  std::vector<NodeRecipe> nodes;
  /// Of the talosconfig: the addresses of control planes, and of all nodes.
  std::vector<std::string> endpoints, addresses;
};

}  // namespace ichor
