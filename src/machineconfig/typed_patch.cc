#include "machineconfig/typed_patch.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "machineconfig/validate/replaced.h"
#include "yaml/build.h"

namespace ichor {

namespace {

using If = Replaced::If;
using Path = std::vector<std::string>;

// In the way only because of what generated documents say.
constexpr Replaced kOfGenerated[] = {
    {"ResolverConfig", "machine.network.nameservers"},
    {"ResolverConfig", "machine.network.searchDomains"},
    {"ResolverConfig", "machine.network.disableSearchDomain"},
    {"ResolverConfig", "machine.features.hostDNS"},
    {"HostnameConfig", "machine.network.hostname"},
    {"HostnameConfig", "machine.features.stableHostname"},
    {"TimeSyncConfig", "machine.time"},
};

Path split(std::string_view path) {
  Path keys;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    keys.emplace_back(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return keys;
}

bool filled(const yaml::Node& node) {
  return !node.items.empty() || !node.entries.empty() || !node.text.empty();
}

yaml::Node* find(yaml::Node& mapping, const std::string& key) {
  return const_cast<yaml::Node*>(mapping.find(key));
}

std::optional<yaml::Node> take(yaml::Node& root, const Path& path, If when) {
  yaml::Node* parent = &root;
  for (std::size_t i = 0; i + 1 < path.size() && parent != nullptr; ++i) {
    parent = find(*parent, path[i]);
  }
  yaml::Node* value = parent != nullptr ? find(*parent, path.back()) : nullptr;
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (when == If::filled && !filled(*value)) return std::nullopt;
  yaml::Node taken = std::move(*value);
  std::erase_if(parent->entries,
                [&](const yaml::Entry& entry) { return entry.key.text == path.back(); });
  return taken;
}

void put(yaml::Node& root, const Path& path, yaml::Node value) {
  yaml::Node* place = &root;
  for (const std::string& key : path) {
    place->kind = yaml::Kind::mapping;
    if (find(*place, key) == nullptr) place->entries.push_back({yaml::make_string(key), {}});
    place = find(*place, key);
  }
  *place = std::move(value);
}

/// Drops mappings that nothing is left in.
bool prune(yaml::Node& node) {
  std::erase_if(node.entries,
                [](yaml::Entry& entry) { return entry.value.is_mapping() && prune(entry.value); });
  return node.entries.empty();
}

class Converter {
 public:
  Converter(const Patch& patch, const Kinds& kinds) : name_(patch.name) {
    result_.patch.name = patch.name;
    result_.patch.content = StrategicPatch();
    for (const auto& rows : {replaced_parts(), std::span<const Replaced>(kOfGenerated)}) {
      for (const Replaced& row : rows) {
        if (kinds.contains(row.kind)) rows_.push_back(row);
      }
    }
    // "cluster.apiServer" before what is inside it.
    std::ranges::stable_sort(rows_, {}, [](const Replaced& row) { return split(row.path).size(); });
  }

  Result<TypedPatch> run(const StrategicPatch& steps) {
    for (const auto& step : steps) {
      const auto* document = std::get_if<ConfigDocument>(&step);
      const bool old = document != nullptr ? document->kind == nullptr
                                           : std::get<Deletion>(step).document == "v1alpha1";
      auto done = !old                  ? keep(step)
                  : document != nullptr ? convert(*document)
                                        : convert(std::get<Deletion>(step));
      if (!done) return forward_error(done);
    }
    return std::move(result_);
  }

 private:
  Result<void> keep(std::variant<Deletion, ConfigDocument> step) {
    std::get<StrategicPatch>(result_.patch.content).push_back(std::move(step));
    result_.patch.converted.push_back(false);
    return {};
  }

  Result<void> convert(ConfigDocument document) {
    yaml::Node sections;
    bool any = false;
    for (const Replaced& row : rows_) {
      const Path path = split(row.path);
      auto taken = take(document.value, path, row.when);
      if (!taken) continue;
      any = true;
      result_.sections.push_back({row.path, row.kind, taken->at});
      // The name that the profile gives counts more.
      if (path.back() != "stableHostname") put(sections, path, *std::move(taken));
    }
    if (!any || !prune(document.value)) {
      if (auto kept = keep(std::move(document)); !kept) return kept;
    }
    if (sections.is_null()) return {};
    name_ambiguous(sections);
    return add(migrate_part(std::move(sections), {}));
  }

  /// Sections that mean something else as a document of its own: the old form merges them key by
  /// key into what the config says, and a document replaces it.
  void name_ambiguous(const yaml::Node& sections) {
    const auto has = [&](std::initializer_list<std::string_view> path) {
      return sections.find_path(path) != nullptr;
    };
    for (const char* key : {"disk", "diskSelector"}) {
      if (!has({"machine", "install", key})) continue;
      result_.unproved.push_back(
          fmt::format("machine.install.{} (set the disk of the node in the profile instead)", key));
    }
    if (has({"cluster", "discovery"}) && !has({"cluster", "discovery", "enabled"})) {
      result_.unproved.emplace_back("cluster.discovery without `enabled`");
    }
    if (has({"cluster", "apiServer", "authorizationConfig"})) {
      result_.unproved.emplace_back(
          "cluster.apiServer.authorizationConfig (write KubeAuthorizerConfig documents)");
    }
  }

  Result<void> convert(const Deletion& deletion) {
    const std::string path = fmt::format("{}", fmt::join(deletion.path, "."));
    const auto row = std::ranges::find_if(rows_, [&](const Replaced& replaced) {
      return (path + ".").starts_with(std::string(replaced.path) + ".");
    });
    if (row == rows_.end()) return keep(deletion);
    result_.sections.push_back({path, row->kind, deletion.at});
    return add(migrate_part({}, {deletion}));
  }

  Result<void> add(Migration migration) {
    for (MigrationNote& note : migration.notes) {
      if (!note.about_file) result_.notes.push_back(std::move(note));
    }
    std::ranges::move(migration.unproved, std::back_inserter(result_.unproved));
    auto typed = load_patch(migration.documents, name_, schema::Schema::kNewestMinor);
    for (yaml::Node& document : migration.documents) yaml::wipe(document);
    if (!typed) return forward_error(typed);
    for (auto& step : std::get<StrategicPatch>(typed->content)) {
      const auto* document = std::get_if<ConfigDocument>(&step);
      result_.patch.converted.push_back(document == nullptr || document->kind != nullptr);
      std::get<StrategicPatch>(result_.patch.content).push_back(std::move(step));
    }
    return {};
  }

  const std::string& name_;
  std::vector<Replaced> rows_;
  TypedPatch result_;
};

}  // namespace

Kinds kinds_of(const std::vector<yaml::Node>& documents) {
  Kinds kinds;
  for (const yaml::Node& document : documents) {
    if (const yaml::Node* kind = document.find("kind")) kinds.insert(kind->text);
  }
  return kinds;
}

Kinds kinds_of(const ConfigDocuments& documents) {
  Kinds kinds;
  for (const ConfigDocument& document : documents) {
    if (document.kind != nullptr) kinds.insert(document.kind->kind);
  }
  return kinds;
}

bool TypedPatch::ok() const {
  return unproved.empty() && std::ranges::none_of(notes, [](const MigrationNote& note) {
           return note.severity == Severity::error;
         });
}

Result<TypedPatch> typed_patch(const Patch& patch, const Kinds& kinds) {
  const auto* steps = std::get_if<StrategicPatch>(&patch.content);
  if (steps == nullptr || kinds.empty()) return TypedPatch{patch, {}, {}, {}};
  return Converter(patch, kinds).run(*steps);
}

Result<std::vector<Patch>> typed_patches(std::vector<Patch> patches, const Kinds& kinds) {
  if (kinds.empty()) return patches;
  for (Patch& patch : patches) {
    auto typed = typed_patch(patch, kinds);
    if (!typed) return forward_error(typed);
    for (const MigrationNote& note : typed->notes) {
      if (note.severity != Severity::error) continue;
      return fail(Errc::invalid, fmt::format("{}: {}: {}; {}", yaml::to_text(patch.name, note.at),
                                             note.path, note.what, note.fix));
    }
    if (!typed->unproved.empty()) {
      return fail(Errc::invalid, fmt::format("{}: as typed documents, these settings would differ: "
                                             "{}; `ichor migrate` converts the patch",
                                             patch.name, fmt::join(typed->unproved, "; ")));
    }
    patch = std::move(typed->patch);
  }
  return patches;
}

}  // namespace ichor
