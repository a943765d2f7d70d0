#include "machineconfig/patch_texts.h"

#include <fmt/format.h>

#include "model/reporter.h"
#include "profile/condition_names.h"
#include "profile/folder_loader.h"
#include "profile/profile_file.h"
#include "profile/profile_layout.h"
#include "profile/repository.h"
#include "profile/template_variables.h"
#include "secrets/sops_file.h"

namespace ichor {

namespace {

class TextReader {
 public:
  TextReader(const ProfileReading& reading, const std::string& folder,
             std::vector<Finding>& findings, LocalPorts& local)
      : reading_(reading), folder_(folder), report_(findings), findings_(findings), local_(local) {}

  PatchTexts run() {
    std::vector<std::string> files;
    const std::string& patches_dir = reading_.profile.talos.patches_dir;
    if (!patches_dir.empty()) list_files(here(patches_dir), files);
    for (PatchFile& file : list_patches(reading_.profile, files, reading_.source, findings_)) {
      if (!file.text.empty()) {
        std::string text = file.text;
        result_.patches.push_back({std::move(file), SecretString(std::move(text))});
        continue;
      }
      file.path = here(file.path);
      read_file(std::move(file));
    }
    return std::move(result_);
  }

 private:
  std::string here(const std::string& path) const { return at_profile(folder_, path); }

  void list_files(const std::string& root, std::vector<std::string>& files) {
    if (local_.files.list_folder(root)) {
      files = files_below(root, local_);
      return;
    }
    report_.error("patch.missing", reading_.source.where("talos.patches_dir"),
                  fmt::format("{} is not a folder that can be read", root),
                  "create it, or remove talos.patches_dir");
  }

  void read_file(PatchFile file) {
    auto text = repository_.read(file.path);
    if (!text) {
      return report_.error("patch.missing", reading_.source.where("nodes"), text.error().message,
                           "correct the name of the patch, or remove it", file.scope.node);
    }
    SecretString sealed(*std::move(text));
    // By the name of the patch itself, because it tells the format.
    const std::string plain_name =
        file.is_template ? file.path.substr(0, file.path.size() - 3) : file.path;
    auto plain = open_if_sealed(sealed, plain_name, local_);
    if (!plain) {
      return report_.error("patch.sealed", file.path + ":1:1", plain.error().message,
                           "give its key, or encrypt it again for one that is here");
    }
    if (!(*plain == sealed)) result_.secrets.learn(*plain);
    PatchText patch{std::move(file), *std::move(plain)};
    if (patch.file.is_template && !render(patch)) return;
    result_.patches.push_back(std::move(patch));
  }

  /// The variables of one patch; nullptr if they cannot be read, which is reported once.
  const jinja::Value* variables_of(const PatchFile& file) {
    if (!variables_read_) {
      variables_read_ = true;
      auto read = template_variables(reading_.profile, reading_.variables, reading_.source.file());
      if (read) {
        variables_ = *std::move(read);
      } else {
        report_.error("patch.variables", yaml::to_text(read.error().file, read.error().at),
                      read.error().what, "correct the variable");
      }
    }
    if (!variables_) return nullptr;
    const jinja::Value name = jinja::Value::string("node");
    const NodePlan* node = file.scope.kind == PatchScope::Kind::node
                               ? reading_.profile.find(file.scope.node)
                               : nullptr;
    if (node != nullptr) {
      variables_->as_dict()->put(name, node_variable(*node));
    } else if (reading_.variables.find("node") == nullptr) {
      variables_->as_dict()->erase(name);
    }
    return &*variables_;
  }

  bool render(PatchText& patch) {
    const jinja::Value* variables = variables_of(patch.file);
    if (variables == nullptr) return false;
    FolderLoader loader(root_of(patch.file.path), local_.files);
    const auto rendering = jinja::render(patch.text.reveal(), patch.file.path, *variables,
                                         patch_template_options(patch.text.reveal()), &loader);
    if (!rendering) {
      const jinja::TemplateError& error = rendering.error();
      report_.error("patch.template", error.where(), error.what,
                    error.fix.empty() ? "see docs/lint/C9.md" : error.fix);
      return false;
    }
    if (rendering->is_empty() && !rendering->skipped.empty()) {
      const jinja::Skipped& skipped = rendering->skipped.front();
      patch.empty_because = skipped.text;
      patch.empty_where = fmt::format("{}:{}:{}", skipped.file, skipped.line, skipped.column);
      for (std::string& name : condition_names(skipped.text)) {
        if (variables->as_dict()->find(name) == nullptr) patch.unknown.push_back(std::move(name));
      }
    }
    patch.text = SecretString(rendering->text);
    return true;
  }

  /// Where the templates that a template includes are looked for: in the folder of all patches, so
  /// that those of a role can use what lies beside it.
  std::string root_of(const std::string& path) const {
    const std::string& patches_dir = reading_.profile.talos.patches_dir;
    const std::string root = here(patches_dir);
    if (!patches_dir.empty() && path.starts_with(root + "/")) return root;
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
  }

  const ProfileReading& reading_;
  const std::string& folder_;
  Reporter report_;
  std::vector<Finding>& findings_;
  LocalPorts& local_;
  Repository repository_{folder_, local_.files};
  bool variables_read_{false};
  std::optional<jinja::Value> variables_;
  PatchTexts result_;
};

std::vector<Patch>& target_of(const PatchScope& scope, ProfilePatches& patches) {
  switch (scope.kind) {
    case PatchScope::Kind::all: return patches.all;
    case PatchScope::Kind::control_planes: return patches.control_plane;
    case PatchScope::Kind::workers: return patches.worker;
    case PatchScope::Kind::node: break;
  }
  return patches.nodes[scope.node];
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

PatchTexts read_patch_texts(const ProfileReading& reading, const std::string& folder,
                            std::vector<Finding>& findings, LocalPorts& local) {
  return TextReader(reading, folder, findings, local).run();
}

ProfilePatches load_patches(const ClusterProfile& profile, const PatchTexts& texts,
                            std::vector<Finding>& findings) {
  ProfilePatches patches;
  for (const PatchText& text : texts.patches) {
    if (is_blank(text.text.reveal())) continue;
    auto patch = load_patch(std::string(text.text.reveal()), text.file.path, schema_minor(profile));
    if (patch) {
      target_of(text.file.scope, patches).push_back(std::move(*patch));
      continue;
    }
    Reporter(findings).error("patch.read", "", texts.secrets.hide(patch.error().message),
                             "see `ichor help machineconfig` about patches");
  }
  return patches;
}

}  // namespace ichor
