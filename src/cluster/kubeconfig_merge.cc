#include "cluster/kubeconfig_merge.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "yaml/build.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

using yaml::Node;

constexpr std::array<const char*, 3> kLists{"clusters", "users", "contexts"};

/// A tree with keys in it, overwritten when it goes.
struct SecretTree {
  Node root;
  SecretTree() = default;
  SecretTree(const SecretTree&) = delete;
  SecretTree& operator=(const SecretTree&) = delete;
  ~SecretTree() { yaml::wipe(root); }
};

Result<void> read_into(SecretTree& tree, const SecretString& text, const std::string& file) {
  auto document = yaml::parse_single(text.reveal(), file);
  if (!document) return fail(Errc::invalid, document.error().message());
  tree.root = std::move(document->root);
  if (!tree.root.is_mapping()) return fail(Errc::invalid, file + " is no kubeconfig");
  for (const char* list : kLists) {
    const Node* found = tree.root.find(list);
    if (found && !found->is_sequence() && !found->is_null()) {
      return fail(Errc::invalid, fmt::format("{}: {} is not a list", file, list));
    }
  }
  return {};
}

Node* entry_of(Node& map, std::string_view key) {
  for (yaml::Entry& entry : map.entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

void set(Node& map, std::string_view key, Node value) {
  if (Node* present = entry_of(map, key)) {
    *present = std::move(value);
  } else {
    map.entries.push_back({yaml::make_string(key), std::move(value)});
  }
}

std::string_view name_of(const Node& item) {
  const Node* name = item.find("name");
  return name ? name->as_text().value_or("") : "";
}

Node* named(Node& list, std::string_view name) {
  const auto found = std::find_if(list.items.begin(), list.items.end(),
                                  [&](const Node& item) { return name_of(item) == name; });
  return found == list.items.end() ? nullptr : &*found;
}

std::string_view cluster_of(const Node& context) {
  const Node* cluster = context.find_path({"context", "cluster"});
  return cluster ? cluster->as_text().value_or("") : "";
}

std::string_view ca_of(const Node& cluster) {
  const Node* ca = cluster.find_path({"cluster", "certificate-authority-data"});
  return ca ? ca->as_text().value_or("") : "";
}

/// Whether `present` has one of the names of `added` for another cluster: that name, or nothing.
std::optional<std::string> find_conflict(Node& present, const Node& added) {
  Node* clusters = entry_of(present, "clusters");
  for (const Node& cluster : added.find("clusters")->items) {
    const Node* other = clusters ? named(*clusters, name_of(cluster)) : nullptr;
    if (other && ca_of(*other) != ca_of(cluster)) return std::string(name_of(cluster));
  }
  Node* contexts = entry_of(present, "contexts");
  const Node* wanted = added.find("contexts");
  if (!contexts || !wanted) return std::nullopt;
  for (const Node& context : wanted->items) {
    const Node* other = named(*contexts, name_of(context));
    if (other && cluster_of(*other) != cluster_of(context)) return std::string(name_of(context));
  }
  // A user that contexts of another cluster go by.
  for (const Node& user : added.find("users")->items) {
    for (const Node& context : contexts->items) {
      const Node* by = context.find_path({"context", "user"});
      const bool theirs = by && by->as_text() == name_of(user);
      if (theirs && cluster_of(context) != name_of(added.find("clusters")->items.front())) {
        return std::string(name_of(user));
      }
    }
  }
  return std::nullopt;
}

/// Whether it has one cluster, user and context, all of them with the names of our cluster.
bool has_only_our_names(Node& root, const std::string& cluster) {
  const auto only = [&](const char* list, const std::string& name) {
    const Node* found = entry_of(root, list);
    return found && found->items.size() == 1 && name_of(found->items.front()) == name;
  };
  const std::string user = "admin@" + cluster;
  return only("clusters", cluster) && only("users", user) && only("contexts", user);
}

/// Gives the context of a fetched kubeconfig, which has one, its new name.
void rename_context(Node& root, const std::string& name) {
  Node* contexts = entry_of(root, "contexts");
  if (!contexts || contexts->items.size() != 1) return;
  set(contexts->items.front(), "name", yaml::make_string(name));
  set(root, "current-context", yaml::make_string(name));
}

/// Whether the current context is one that the file has.
bool has_current(Node& root) {
  const Node* current = root.find("current-context");
  Node* contexts = entry_of(root, "contexts");
  return current && contexts && named(*contexts, current->as_text().value_or("")) != nullptr;
}

void merge_list(Node& present, const Node& added, const char* list) {
  const Node* items = added.find(list);
  if (!items) return;
  if (Node* there = entry_of(present, list); !there || there->is_null()) {
    set(present, list, yaml::list(std::vector<Node>{}));
  }
  Node& target = *entry_of(present, list);
  for (const Node& item : items->items) {
    if (Node* same = named(target, name_of(item))) {
      *same = item;
    } else {
      target.items.push_back(item);
    }
  }
}

}  // namespace

std::string default_kubeconfig(LocalPorts& local) {
  const std::string list = local.environment.variable("KUBECONFIG").value_or("");
  std::string last;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) last = list.substr(at, end - at);
    if (end > at && local.files.has_file(last)) return last;
    at = end + 1;
  }
  if (!last.empty()) return last;
  const std::string home = local.environment.variable("HOME").value_or("");
  return home.empty() ? std::string() : home + "/.kube/config";
}

Result<SecretString> merge_kubeconfig(const std::optional<SecretString>& present,
                                      const std::string& file, const SecretString& added,
                                      const MergeOptions& options) {
  SecretTree ours;
  if (auto read = read_into(ours, added, "the fetched kubeconfig"); !read) {
    return forward_error(read);
  }
  if (!has_only_our_names(ours.root, options.context)) {
    return fail(Errc::unsafe,
                fmt::format("the kubeconfig has other names than those of {}: nothing "
                            "was merged. `ichor kubeconfig` writes it again",
                            options.context));
  }
  rename_context(ours.root, options.context);
  const bool blank =
      !present || present->reveal().find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (blank) return SecretString(yaml::emit(ours.root));
  SecretTree theirs;
  if (auto read = read_into(theirs, *present, file); !read) {
    return forward_error(read);
  }
  const auto conflict = find_conflict(theirs.root, ours.root);
  if (conflict && options.on_conflict == OnConflict::refuse) {
    return fail(Errc::invalid,
                fmt::format("{} has another cluster with the name {}", file, *conflict));
  }
  const bool switches = options.use_context || !has_current(theirs.root);
  for (const char* list : kLists) merge_list(theirs.root, ours.root, list);
  const Node* current = ours.root.find("current-context");
  if (current && switches) set(theirs.root, "current-context", *current);
  return SecretString(yaml::emit(theirs.root));
}

}  // namespace ichor
