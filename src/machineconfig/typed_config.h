#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machineconfig/schema.h"
#include "yaml/document.h"

namespace ichor {

/// One document of a machine config, read by the schema. `value` has what is set, in the form in
/// which Talos writes it and with the places where it was read; what Talos takes for not set is
/// absent, save empty lists and mappings.
struct ConfigDocument {
  const schema::DocumentKind* kind{nullptr};  // nullptr: the v1alpha1 document
  std::string name;                           // of a named document
  yaml::Node value;

  const schema::Object& object() const;
  /// "v1alpha1", "HostnameConfig", "BondConfig bond0": what a patch finds it by.
  std::string id() const;
};

using ConfigDocuments = std::vector<ConfigDocument>;

/// What is wrong with a config or a patch. `what` and `fix` never repeat a secret value.
struct ConfigProblem {
  yaml::Position at;
  std::string what;
  std::string fix;
};

/// "file:line:column: what; fix", one line for each.
std::string to_text(const std::vector<ConfigProblem>& problems, const std::string& file);

/// Reads one document, of which deletions were already taken. Adds to `problems` and gives nullopt
/// if anything is wrong with it. Keys and kinds that are younger than Talos 1.`minor` are unknown.
std::optional<ConfigDocument> read_document(const yaml::Node& root, int minor,
                                            std::vector<ConfigProblem>& problems);

/// Two documents of one identity, or two that claim the same link, VIP or volume.
void find_conflicts(const ConfigDocuments& documents, std::vector<ConfigProblem>& problems);

/// The oldest minor version of Talos whose rules fit what the documents are: the usual one, unless
/// a kind or a key is younger.
int minor_shown(const std::vector<yaml::Node>& roots);
/// The same for a text; the usual one if it cannot be read.
int minor_shown(std::string_view text);

/// Reads all documents of a machine config, by the rules that it shows if no version is given. The
/// error lists every problem with its place.
Result<ConfigDocuments> read_config(std::string_view text, const std::string& file,
                                    std::optional<int> minor = std::nullopt);

/// The documents as Talos 1.`minor` writes them: what must always be there is added, what is empty
/// and need not be there is left out, and the v1alpha1 document comes first.
std::vector<yaml::Node> write_config(const ConfigDocuments& documents, int minor);

/// Overwrites the texts, which hold keys and tokens.
void wipe(ConfigDocuments& documents);

}  // namespace ichor
