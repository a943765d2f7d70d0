#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machineconfig/rules.h"
#include "machineconfig/typed_config.h"

namespace ichor {

/// One `$patch: delete` of a patch: which document it is in, and the way to what it deletes.
struct Deletion {
  std::string document;           // as ConfigDocument::id() says it
  std::vector<std::string> path;  // empty: the document itself; "[]" at the end: an item of a list
  std::string item_key;           // this key identifies the item
  std::string item_value;
  yaml::Position at;
};

/// Takes all deletions out of a patch's document. What is left of it is to be merged; nothing may
/// be left, then the root is null.
tl::expected<std::vector<Deletion>, ConfigProblem> take_deletions(yaml::Node& root,
                                                                  const Rules& rules);

/// Deletes; a document that is deleted as a whole is taken out of `documents`. What is not there
/// cannot be deleted, save a key that Talos knows and that is not set, and a document if the rules
/// say so.
Result<void> apply_deletion(const Deletion& deletion, const Rules& rules,
                            ConfigDocuments& documents);

}  // namespace ichor
