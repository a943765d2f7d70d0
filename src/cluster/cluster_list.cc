#include "cluster/cluster_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "base/nearest_name.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr std::size_t kClustersMax = 256;

tl::unexpected<Error> wrong(yaml::Position at, std::string what) {
  return fail(Errc::invalid,
              fmt::format("{}:{}:{}: {}", kClusterListFile, at.line, at.column, std::move(what)));
}

/// `{name: infra, profile: clusters/infra/ichor.yaml}`.
Result<ListedCluster> read_entry(const yaml::Node& node) {
  static const std::vector<std::string_view> keys = {"name", "profile"};
  if (!node.is_mapping()) return wrong(node.at, "a cluster is a mapping with name and profile");
  ListedCluster cluster;
  for (const yaml::Entry& entry : node.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key.text) == keys.end()) {
      return wrong(entry.key.at, fmt::format("a cluster has no key \"{}\"; {}", entry.key.text,
                                             name_hint(entry.key.text, keys)));
    }
    const auto text = entry.value.as_string();
    if (!text || text->empty()) return wrong(entry.value.at, entry.key.text + " must be a text");
    (entry.key.text == "name" ? cluster.name : cluster.profile) = *text;
  }
  if (cluster.name.empty()) return wrong(node.at, "this cluster has no name");
  if (cluster.name.find_first_of(",/ ") != cluster.name.npos) {
    return wrong(node.at, fmt::format("\"{}\" has a comma, a slash or a space, which the name of "
                                      "a cluster must not have",
                                      cluster.name));
  }
  if (cluster.profile.empty()) return wrong(node.at, cluster.name + " has no profile");
  return cluster;
}

Result<std::vector<ListedCluster>> read_list(std::string_view text) {
  const auto document = yaml::parse_single(text, kClusterListFile);
  if (!document) return fail(Errc::invalid, document.error().message());
  const yaml::Node& root = document->root;
  const yaml::Node* listed = root.find("clusters");
  if (!listed || !listed->is_sequence() || root.entries.size() != 1) {
    return wrong(root.at, "the file has one key, `clusters:`, with a list of clusters");
  }
  if (listed->items.size() > kClustersMax) {
    return wrong(listed->at, fmt::format("more than {} clusters", kClustersMax));
  }
  std::vector<ListedCluster> list;
  for (const yaml::Node& item : listed->items) {
    auto cluster = read_entry(item);
    if (!cluster) return forward_error(cluster);
    const bool twice = std::any_of(list.begin(), list.end(), [&](const ListedCluster& other) {
      return other.name == cluster->name || other.profile == cluster->profile;
    });
    if (twice) {
      return wrong(item.at, fmt::format("{} or its profile is in the list twice", cluster->name));
    }
    list.push_back(*std::move(cluster));
  }
  return list;
}

bool has_folder(Files& files, const std::string& path) {
  return files.list_folder(path).has_value();
}

/// The folders below `parent` that hold an ichor.yaml.
void find_profiles(Files& files, const std::string& parent, std::vector<ListedCluster>& found) {
  const std::string start = parent == "." ? "" : parent + "/";
  for (const std::string& name : files.list_folder(parent).value_or(std::vector<std::string>())) {
    const std::string profile = start + name + "/ichor.yaml";
    if (files.has_file(profile)) found.push_back({name, profile});
  }
}

}  // namespace

Result<std::vector<ListedCluster>> list_clusters(Files& files) {
  if (files.has_file(kClusterListFile)) {
    auto text = files.read_input(kClusterListFile);
    if (!text) return forward_error(text);
    return read_list(*text);
  }
  std::vector<ListedCluster> found;
  find_profiles(files, ".", found);
  find_profiles(files, "clusters", found);
  for (const std::string& name : files.list_folder("talos").value_or(std::vector<std::string>())) {
    const std::string folder = "talos/" + name;
    if (files.has_file(folder + "/ichor.yaml")) {
      found.push_back({name, folder + "/ichor.yaml"});
    } else if (has_folder(files, folder + "/controlplane")) {
      found.push_back({name, folder});
    }
  }
  if (found.size() > kClustersMax) {
    return fail(Errc::invalid, fmt::format("more than {} folders look like clusters; list those "
                                           "that are meant in {}",
                                           kClustersMax, kClusterListFile));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (found[i].name != found[j].name) continue;
      return fail(Errc::invalid,
                  fmt::format("{} and {} both look like the cluster {}; list the one that is meant "
                              "in {}",
                              found[j].profile, found[i].profile, found[i].name, kClusterListFile));
    }
  }
  return found;
}

Result<std::vector<ListedCluster>> select_clusters(const std::vector<ListedCluster>& list,
                                                   const std::vector<std::string>& names) {
  if (list.empty()) {
    return fail(Errc::invalid,
                fmt::format("there is no cluster here: no {}, no folder with an ichor.yaml and no "
                            "role folders below talos/; go to the root of the repository, or name "
                            "the profile with -p",
                            kClusterListFile));
  }
  std::vector<std::string_view> known;
  for (const ListedCluster& cluster : list) known.push_back(cluster.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fail(Errc::invalid,
                fmt::format("there is no cluster {} here; {}", name, name_hint(name, known)));
  }
  if (names.empty()) return list;
  std::vector<ListedCluster> chosen;
  for (const ListedCluster& cluster : list) {
    const bool named = std::find(names.begin(), names.end(), cluster.name) != names.end();
    if (named) chosen.push_back(cluster);
  }
  return chosen;
}

}  // namespace ichor
