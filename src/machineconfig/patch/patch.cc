#include "machineconfig/patch/patch.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "machineconfig/patch/merge.h"
#include "machineconfig/validate/replaced.h"
#include "yaml/build.h"

namespace ichor {

namespace {

/// The steps of a strategic patch; none if there is nothing in it.
StrategicPatch read_strategic(std::vector<yaml::Node> roots, int minor,
                              std::vector<ConfigProblem>& problems) {
  StrategicPatch steps;
  ConfigDocuments documents;
  for (yaml::Node& root : roots) {
    auto deletions = take_deletions(root, rules_of(minor));
    if (!deletions) {
      problems.push_back(deletions.error());
      continue;
    }
    for (Deletion& deletion : *deletions) steps.emplace_back(std::move(deletion));
    if (root.is_null()) continue;
    auto read = read_document(root, minor, problems);
    if (!read) continue;
    documents.push_back(*read);
    steps.emplace_back(std::move(*read));
  }
  if (!rules_of(minor).repeats_documents) find_conflicts(documents, problems);
  return steps;
}

bool is_worker(const ConfigDocuments& documents) {
  return std::ranges::any_of(documents, [](const ConfigDocument& document) {
    const yaml::Node* type = document.value.find_path({"machine", "type"});
    return document.kind == nullptr && type != nullptr && type->text == "worker";
  });
}

/// What a step that was converted would do and the section that it was made of did not.
void hold_back(const ConfigDocument* ours, bool worker, ConfigDocument& theirs) {
  const auto part = [](yaml::Node& node, std::string_view key) {
    return const_cast<yaml::Node*>(node.find(key));
  };
  if (theirs.kind->kind == "KubeNodeConfig" && worker) {
    yaml::Node* taints = part(theirs.value, "taints");
    if (taints == nullptr) return;
    std::erase_if(taints->entries, [](const yaml::Entry& entry) {
      return entry.key.text == "node-role.kubernetes.io/control-plane";
    });
  }
  // A merge takes the selector away that the patch does not repeat.
  const yaml::Node* selector =
      ours != nullptr ? ours->value.find_path({"provisioning", "diskSelector"}) : nullptr;
  if (theirs.kind->kind != "UnattendedInstallConfig" || selector == nullptr) return;
  yaml::Node* provisioning = part(theirs.value, "provisioning");
  if (provisioning == nullptr) {
    theirs.value.entries.push_back({yaml::make_string("provisioning"), yaml::map()});
    provisioning = &theirs.value.entries.back().value;
  }
  if (provisioning->find("diskSelector") != nullptr) return;
  provisioning->entries.push_back({yaml::make_string("diskSelector"), *selector});
}

Result<void> apply_strategic(const Patch& patch, int minor, ConfigDocuments& documents) {
  const auto& steps = std::get<StrategicPatch>(patch.content);
  const bool worker = !patch.converted.empty() && is_worker(documents);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool converted = i < patch.converted.size() && patch.converted[i];
    if (const Deletion* deletion = std::get_if<Deletion>(&steps[i])) {
      auto deleted = apply_deletion(*deletion, rules_of(minor), documents);
      if (!deleted && !converted) {
        return fail(deleted.error().code,
                    fmt::format("{}:{}: {}", deletion->at.line, deletion->at.column,
                                deleted.error().message));
      }
      continue;
    }
    const ConfigDocument& given = std::get<ConfigDocument>(steps[i]);
    if (converted && worker && is_control_plane_only(given.kind->kind)) continue;
    const auto ours = std::find_if(documents.begin(), documents.end(), [&](const auto& document) {
      return document.id() == given.id();
    });
    std::optional<ConfigDocument> held;
    if (converted) {
      held = given;
      hold_back(ours == documents.end() ? nullptr : &*ours, worker, *held);
    }
    const ConfigDocument& theirs = held ? *held : given;
    if (ours == documents.end()) {
      documents.push_back(theirs);
    } else if (auto merged = merge_document(*ours, theirs, minor); !merged) {
      return fail(merged.error().code, fmt::format("{}:{}: {}", theirs.value.at.line,
                                                   theirs.value.at.column, merged.error().message));
    }
  }
  std::vector<ConfigProblem> conflicts;
  find_conflicts(documents, conflicts);
  if (conflicts.empty()) return {};
  std::vector<std::string> texts;
  for (const ConfigProblem& conflict : conflicts) {
    texts.push_back(fmt::format("{}; {}", conflict.what, conflict.fix));
  }
  return fail(Errc::invalid, fmt::format("1:1: {}", fmt::join(texts, "\n")));
}

/// A config between two patches: read by the schema, or as the text has it.
class Bench {
 public:
  Bench(PatchBase base, std::string file, int minor)
      : state_(std::move(base)), file_(std::move(file)), minor_(minor) {}
  ~Bench() {
    for (yaml::Node& root : plain()) yaml::wipe(root);
    if (auto* typed = std::get_if<ConfigDocuments>(&state_)) wipe(*typed);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Brings the config into the form that the patch works on.
  Result<void> prepare(const Patch& patch) {
    const auto* json = std::get_if<JsonPatch>(&patch.content);
    return json == nullptr ? read_typed() : read_plain(*json, patch.name);
  }

  /// After prepare().
  Result<void> apply(const Patch& patch) {
    if (!std::holds_alternative<StrategicPatch>(patch.content)) {
      yaml::Node& root = std::get<std::vector<yaml::Node>>(state_).front();
      return apply_json_patch(std::get<JsonPatch>(patch.content), patch.name, root);
    }
    auto applied = apply_strategic(patch, minor_, std::get<ConfigDocuments>(state_));
    if (applied) return applied;
    return fail(applied.error().code, fmt::format("{}:{}", patch.name, applied.error().message));
  }

  /// Whether the patch, after prepare(), only adds, and adds a whole document: then it changes
  /// something, and the config need not be written to see that.
  bool grows_by(const Patch& patch) const {
    const auto* steps = std::get_if<StrategicPatch>(&patch.content);
    if (steps == nullptr) return false;
    const auto& documents = std::get<ConfigDocuments>(state_);
    bool grows = false;
    for (const auto& step : *steps) {
      const auto* theirs = std::get_if<ConfigDocument>(&step);
      if (theirs == nullptr) return false;
      grows |= std::none_of(documents.begin(), documents.end(),
                            [&](const auto& ours) { return ours.id() == theirs->id(); });
    }
    return grows;
  }

  bool is_typed() const { return std::holds_alternative<ConfigDocuments>(state_); }

  std::vector<yaml::Node> documents() const {
    if (const auto* typed = std::get_if<ConfigDocuments>(&state_))
      return write_config(*typed, minor_);
    return std::get<std::vector<yaml::Node>>(state_);
  }

 private:
  std::vector<yaml::Node> plain() {
    auto* roots = std::get_if<std::vector<yaml::Node>>(&state_);
    return roots != nullptr ? std::move(*roots) : std::vector<yaml::Node>{};
  }

  Result<void> read_typed() {
    auto* roots = std::get_if<std::vector<yaml::Node>>(&state_);
    if (roots == nullptr) return {};
    std::vector<ConfigProblem> problems;
    ConfigDocuments documents;
    for (const yaml::Node& root : *roots) {
      if (root.is_null()) continue;
      if (auto read = read_document(root, minor_, problems)) documents.push_back(std::move(*read));
    }
    find_conflicts(documents, problems);
    if (!problems.empty()) return fail(Errc::invalid, to_text(problems, file_));
    if (documents.empty()) return fail(Errc::invalid, file_ + ": there is no machine config in it");
    state_ = std::move(documents);
    return {};
  }

  Result<void> read_plain(const JsonPatch& patch, const std::string& name) {
    std::vector<yaml::Node> roots = documents();
    if (roots.size() == 1) {
      state_ = std::vector<yaml::Node>{as_json(roots.front())};
      return {};
    }
    if (patch.empty()) {
      return fail(Errc::invalid,
                  name +
                      ": the patch is empty, so it counts as a JSON6902 patch, and these cannot "
                      "be used on a config of several documents; remove it");
    }
    return fail(Errc::invalid,
                fmt::format("{}: JSON6902 patches cannot be used on a config of several documents; "
                            "write it as a strategic merge patch:\n{}",
                            name, equivalent_strategic(patch)));
  }

  PatchBase state_;
  std::string file_;
  int minor_;
};

/// Documents that are wiped when they are not needed any more.
class Written {
 public:
  Written() = default;
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  ~Written() { hold({}); }

  void hold(std::vector<yaml::Node> roots) {
    for (yaml::Node& root : roots_) yaml::wipe(root);
    roots_ = std::move(roots);
  }
  const std::vector<yaml::Node>& roots() const { return roots_; }
  std::vector<yaml::Node> take() { return std::exchange(roots_, {}); }

 private:
  std::vector<yaml::Node> roots_;
};

bool same(const yaml::Node& a, const yaml::Node& b);

bool same_scalar(const yaml::Node& a, const yaml::Node& b) {
  if (a.text == b.text) return a.scalar_type() == b.scalar_type();
  const auto number = a.as_int();
  return number && number == b.as_int();
}

/// The order of keys says nothing; mostly it is the same.
bool same_mapping(const yaml::Node& a, const yaml::Node& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    const yaml::Entry& entry = a.entries[i];
    const yaml::Node* other =
        b.entries[i].key.text == entry.key.text ? &b.entries[i].value : b.find(entry.key.text);
    if (other == nullptr || !same(entry.value, *other)) return false;
  }
  return true;
}

bool same(const yaml::Node& a, const yaml::Node& b) {
  if (a.kind != b.kind) return false;
  if (a.is_mapping()) return same_mapping(a, b);
  if (!a.is_sequence()) return same_scalar(a, b);
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same);
}

bool same_documents(const std::vector<yaml::Node>& a, const std::vector<yaml::Node>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

Finding finding_of(std::string id, const Patch& patch, std::string what, std::string fix) {
  Finding finding;
  finding.id = std::move(id);
  finding.where = patch.name;
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  return finding;
}

/// Adds the places of one tree of a patch that belong to the cluster's secrets.
void collect_identity(const schema::Object& type, const yaml::Node& value, const std::string& path,
                      std::vector<std::string>& places) {
  for (const schema::Field& field : type.fields) {
    const yaml::Node* part = value.find(field.key);
    if (part == nullptr) continue;
    const std::string where = path.empty() ? field.key : path + "." + field.key;
    if (field.identity) {
      places.push_back(where);
    } else if (field.object != nullptr && field.form == schema::Form::one) {
      collect_identity(*field.object, *part, where, places);
    }
  }
}

/// Whether a way of keys through the v1alpha1 document meets one of the cluster's secrets: it leads
/// to one, into one, or to what holds one.
bool meets_identity(const std::vector<std::string>& keys) {
  const schema::Object* object = &schema::Schema::get().config();
  for (const std::string& key : keys) {
    const schema::Field* field = object->find(key);
    if (field == nullptr) return false;
    if (field->identity) return true;
    if (field->object == nullptr || field->form != schema::Form::one) return false;
    object = field->object;
  }
  return std::any_of(object->fields.begin(), object->fields.end(), [&](const auto& field) {
    std::vector<std::string> below = keys;
    below.push_back(field.key);
    return field.identity ||
           (field.object != nullptr && field.form == schema::Form::one && meets_identity(below));
  });
}

}  // namespace

Result<Patch> load_patch(std::string_view text, const std::string& name, int minor) {
  auto parsed = yaml::parse(text, name);
  if (!parsed) return forward_error(parsed);
  std::vector<ConfigProblem> problems;
  std::vector<yaml::Node> roots;
  for (const yaml::Document& document : *parsed) roots.push_back(document.root);
  StrategicPatch steps = read_strategic(std::move(roots), minor, problems);
  if (problems.empty() && !steps.empty()) return Patch{name, std::move(steps)};
  const yaml::Node nothing;
  auto json = read_json_patch(parsed->empty() ? nothing : parsed->front().root);
  if (json) return Patch{name, std::move(*json)};
  if (problems.empty()) {
    problems.push_back({{1, 1}, "there is nothing to patch in it", "add `machine:` or `cluster:`"});
  }
  return fail(Errc::invalid, to_text(problems, name));
}

Result<Patch> load_patch(const std::vector<yaml::Node>& documents, const std::string& name,
                         int minor) {
  std::vector<ConfigProblem> problems;
  StrategicPatch steps = read_strategic(documents, minor, problems);
  if (!problems.empty()) return fail(Errc::invalid, to_text(problems, name));
  return Patch{name, std::move(steps)};
}

Result<PatchedConfig> apply_patches(PatchBase base, const std::string& file,
                                    const std::vector<Patch>& patches, int minor) {
  PatchedConfig result;
  Bench bench(std::move(base), file, minor);
  // Writing a config costs more than patching it, so each state is written once.
  Written written;
  bool is_written = false;
  for (const Patch& patch : patches) {
    const bool was_typed = bench.is_typed();
    if (auto prepared = bench.prepare(patch); !prepared) return forward_error(prepared);
    const bool grows = bench.grows_by(patch);
    const bool is_stale = !is_written || !was_typed || !bench.is_typed();
    if (!grows && is_stale) written.hold(bench.documents());
    if (auto applied = bench.apply(patch); !applied) return forward_error(applied);
    const std::vector<std::string> touched = touches_secrets(patch);
    if (!touched.empty()) {
      result.findings.push_back(finding_of(
          "patch.secrets", patch,
          fmt::format("the patch touches the cluster's secrets: {}", fmt::join(touched, ", ")),
          "leave them to the secrets file: a node with others is locked out of the cluster"));
    }
    is_written = !grows;
    if (grows) continue;
    std::vector<yaml::Node> after = bench.documents();
    const bool idle = same_documents(written.roots(), after);
    written.hold(std::move(after));
    if (idle) {
      result.findings.push_back(finding_of("patch.no-change", patch, "the patch changes nothing",
                                           "remove it, or look for what it was meant to say"));
    }
  }
  result.documents = is_written ? written.take() : bench.documents();
  return result;
}

std::vector<std::string> touches_secrets(const Patch& patch) {
  std::vector<std::string> places;
  if (const auto* steps = std::get_if<StrategicPatch>(&patch.content)) {
    for (const auto& step : *steps) {
      if (const auto* deletion = std::get_if<Deletion>(&step)) {
        const bool meets = deletion->document == "v1alpha1" && meets_identity(deletion->path);
        if (meets) places.push_back(fmt::format("{}", fmt::join(deletion->path, ".")));
      } else {
        const auto& document = std::get<ConfigDocument>(step);
        const std::string path = document.kind == nullptr ? "" : document.kind->kind;
        collect_identity(document.object(), document.value, path, places);
      }
    }
    return places;
  }
  for (const JsonOperation& step : std::get<JsonPatch>(patch.content)) {
    if (step.op == "test") continue;
    for (const auto& pointer : {step.path, step.from}) {
      if (!pointer || (pointer == step.from && step.op != "move")) continue;
      const auto keys = split_pointer(*pointer);
      if (meets_identity(keys)) places.push_back(fmt::format("{}", fmt::join(keys, ".")));
    }
  }
  return places;
}

}  // namespace ichor
