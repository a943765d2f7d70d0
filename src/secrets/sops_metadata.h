#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "secrets/sops_formats.h"
#include "secrets/sops_rules.h"
#include "secrets/sops_tree.h"

namespace ichor::sops {

/// The data key, encrypted to one recipient.
struct AgeEntry {
  std::string recipient;
  std::string sealed;  // an armored age file
  std::size_t group{0};
};

/// What sops keeps in a file beside the values.
struct Metadata {
  std::vector<AgeEntry> age;
  std::vector<std::string> other_keys;  // kinds such as pgp and kms, each once
  bool split_key{false};                // the data key is in parts, for several groups of keys
  std::size_t parts_needed{1};          // of a split key
  std::string last_modified;            // RFC 3339, UTC
  std::string mac;                      // encrypted
  Rules rules;
};

/// Whether the tree carries metadata.
bool has_metadata(const Tree& tree, Format format);

/// Takes the metadata out of the tree. Errc::invalid if there is none or it is damaged.
Result<Metadata> take_metadata(Tree& tree, Format format, const std::string& file);

/// Puts it in, in every document.
void put_metadata(Tree& tree, Format format, const Metadata& metadata);

/// "2026-01-31T12:00:00Z".
std::string rfc3339(WallTime time);

}  // namespace ichor::sops
