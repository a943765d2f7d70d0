#include "lint/c9_patches.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/nearest_name.h"
#include "lint/old_form.h"
#include "lint/settings.h"
#include "lint/typed_traps.h"
#include "machineconfig/schema.h"
#include "model/reporter.h"
#include "yaml/document.h"

namespace ichor {

namespace {

using schema::Field;
using schema::Form;
using schema::Object;
using schema::Schema;
using schema::Shape;

class PatchCheck {
 public:
  PatchCheck(const LintPatch& patch, int minor, std::vector<Finding>& findings)
      : patch_(patch), minor_(minor), report_(findings) {}

  void run() {
    for (const yaml::Node& document : patch_.documents) check_document(document);
  }

 private:
  std::string where(const yaml::Node& node) const { return yaml::to_text(patch_.file, node.at); }

  void check_document(const yaml::Node& document) {
    const Schema& schema = Schema::get();
    if (is_v1alpha1(document)) return check_object(schema.config(), document, "");
    if (!document.is_mapping()) {
      return report_.error("patch.type", where(document),
                           "a patch is a mapping or a list of JSON6902 steps",
                           "write `machine:` or `cluster:` here");
    }
    const yaml::Node* kind = document.find("kind");
    const schema::DocumentKind* known = schema.find(kind->text);
    if (known == nullptr) {
      std::vector<std::string_view> names;
      for (const schema::DocumentKind& one : schema.documents()) names.push_back(one.kind);
      const std::string_view near = nearest_name(kind->text, names);
      return report_.error("patch.kind", where(*kind),
                           fmt::format("Talos has no document of kind `{}`", kind->text),
                           near.empty() ? "see Talos' reference of documents"
                                        : fmt::format("did you mean \"{}\"?", near));
    }
    check_version(known->since_minor, fmt::format("the document {}", known->kind), *kind);
    check_object(known->object, document, known->kind, {"apiVersion", "kind", "name"});
  }

  void check_version(int since, const std::string& what, const yaml::Node& at) {
    if (since <= minor_) return;
    report_.error(
        "patch.version", where(at),
        fmt::format("{} exists since Talos v1.{}, and this is v1.{}", what, since, minor_),
        "remove it or take another version of Talos");
  }

  void check_object(const Object& object, const yaml::Node& node, const std::string& path,
                    const std::vector<std::string_view>& beside = {}) {
    for (const yaml::Entry& entry : node.entries) {
      const std::string& key = entry.key.text;
      if (key == "$patch") continue;
      if (std::find(beside.begin(), beside.end(), key) != beside.end()) continue;
      const std::string below = path.empty() ? key : path + "." + key;
      if (const Field* field = object.find(key)) {
        check_version(field->since_minor, below, entry.key);
        check_field(*field, entry.value, below);
        continue;
      }
      std::vector<std::string_view> known(beside);
      for (const Field& field : object.fields) known.push_back(field.key);
      report_.error("patch.unknown-key", where(entry.key),
                    fmt::format("Talos knows no key \"{}\" in {}", key,
                                path.empty() ? "a machine config" : path),
                    name_hint(key, known));
    }
  }

  void check_field(const Field& field, const yaml::Node& value, const std::string& path) {
    if (field.identity) {
      report_.error("patch.secret", where(value),
                    fmt::format("the patch sets {}, which is one of the cluster's secrets", path),
                    "remove it: secrets come from the secrets bundle and nowhere else");
      return;
    }
    if (value.is_null()) return;
    switch (field.form) {
      case Form::one: check_value(field, value, path); break;
      case Form::list:
        if (!value.is_sequence()) return wrong_type(value, path, "a list");
        for (std::size_t i = 0; i < value.items.size(); ++i) {
          check_value(field, value.items[i], fmt::format("{}[{}]", path, i));
        }
        break;
      case Form::map:
        if (!value.is_mapping()) return wrong_type(value, path, "a mapping");
        for (const yaml::Entry& entry : value.entries) {
          if (entry.key.text == "$patch" || deletes(entry.value)) continue;
          check_value(field, entry.value, path + "." + entry.key.text);
        }
        break;
    }
  }

  static bool deletes(const yaml::Node& value) { return value.find("$patch") != nullptr; }

  void check_value(const Field& field, const yaml::Node& value, const std::string& path) {
    if (value.is_null() || deletes(value)) return;
    switch (field.shape) {
      case Shape::object:
        if (!value.is_mapping()) return wrong_type(value, path, "a mapping");
        return check_object(*field.object, value, path);
      case Shape::free:
      case Shape::argument: return;
      case Shape::flag:
        if (!value.as_bool()) wrong_type(value, path, "true or false");
        return;
      case Shape::int64:
      case Shape::uint8:
      case Shape::uint16:
      case Shape::uint32:
      case Shape::uint64:
        if (!value.as_int()) wrong_type(value, path, "an integer");
        return;
      case Shape::choice: return check_choice(field, value, path);
      default:
        if (!value.is_scalar()) wrong_type(value, path, "a single value");
        return;
    }
  }

  void check_choice(const Field& field, const yaml::Node& value, const std::string& path) {
    if (!value.is_scalar()) return wrong_type(value, path, "a single value");
    const std::vector<std::string> words = field.choice->words_of(minor_);
    if (std::find(words.begin(), words.end(), value.text) != words.end()) return;
    const std::vector<std::string_view> known(words.begin(), words.end());
    report_.error(
        "patch.type", where(value),
        fmt::format("{} is `{}`, which is none of {}", path, value.text, fmt::join(words, ", ")),
        name_hint(value.text, known));
  }

  void wrong_type(const yaml::Node& value, const std::string& path, std::string_view wanted) {
    report_.error("patch.type", where(value),
                  fmt::format("{} must be {}, not {}", path, wanted, describe(value)),
                  fmt::format("write {} here", wanted));
  }

  const LintPatch& patch_;
  int minor_;
  Reporter report_;
};

/// A condition that the user made false is a choice, though one that is worth a word. One that asks
/// for a variable that is not set is always false, which is a mistake.
void report_empty(const LintPatch& patch, Reporter& report) {
  if (patch.empty_because.empty()) {
    return report.error("patch.empty", patch.file + ":1:1",
                        "the patch is empty and changes nothing",
                        "write what it must change, or remove it");
  }
  const std::string what =
      fmt::format("{} renders to nothing, because `{}` is false", patch.file, patch.empty_because);
  if (patch.unknown.empty()) {
    return report.warning("patch.empty", patch.empty_where, what,
                          "make the condition true, or take the patch out of the list");
  }
  report.error("patch.empty", patch.empty_where,
               fmt::format("{}; {} is not set", what, fmt::join(patch.unknown, ", ")),
               fmt::format("set {} in `variables`, or correct the condition",
                           fmt::join(patch.unknown, ", ")));
}

}  // namespace

void lint_patches(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  // Versions beyond the table are judged by its nearest end.
  const int minor =
      std::clamp(input.profile.talos.version.minor, Schema::kOldestMinor, Schema::kNewestMinor);
  for (const LintPatch& patch : input.material.patches) {
    const bool for_somebody =
        std::any_of(input.profile.nodes.begin(), input.profile.nodes.end(),
                    [&](const NodePlan& node) { return patch.scope.covers(node); });
    if (!for_somebody) {
      report.warning("patch.nobody", patch.file + ":1:1", "the patch is for no node of the profile",
                     "remove it, or add the node that it is for");
    }
    const bool empty = std::all_of(patch.documents.begin(), patch.documents.end(),
                                   [](const yaml::Node& document) { return document.is_null(); });
    if (empty && patch.readable) report_empty(patch, report);
    PatchCheck(patch, minor, findings).run();
  }
  lint_old_form(input, findings);
  lint_typed_traps(input, findings);
}

}  // namespace ichor
