#include "lint/read_patch.h"

#include "model/reporter.h"
#include "yaml/document.h"

namespace ichor {

LintPatch read_lint_patch(const PatchFile& file, std::string_view text,
                          std::vector<Finding>& findings) {
  LintPatch patch;
  patch.file = file.path;
  patch.scope = file.scope;
  auto documents = yaml::parse_or_explain(text, file.path);
  if (!documents) {
    const yaml::SyntaxError& error = documents.error();
    Reporter(findings).error("patch.syntax", yaml::to_text(file.path, error.at), error.what,
                             "write the patch as YAML or JSON");
    patch.readable = false;
    return patch;
  }
  for (yaml::Document& document : *documents) {
    if (document.root.is_sequence()) {
      yaml::Node written = as_mapping(document.root);
      if (!written.is_null()) document.root = std::move(written);
    }
    patch.documents.push_back(std::move(document.root));
  }
  return patch;
}

}  // namespace ichor
