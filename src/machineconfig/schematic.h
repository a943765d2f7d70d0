#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "yaml/node.h"

namespace ichor {

/// What the Image Factory is asked to build into an image of Talos: kernel arguments, extensions,
/// META values, an overlay. The factory names it by the hash of its canonical form, so the name can
/// be computed without asking.
class Schematic {
 public:
  /// Reads the first document of a text, as the factory does. Unknown keys, keys that are there
  /// twice, and values of another type are refused with their place.
  static Result<Schematic> read(std::string_view text, const std::string& file);

  /// The canonical form: the fields in the factory's order, and nothing that is empty. The order of
  /// lists counts.
  const yaml::Node& canonical() const { return canonical_; }
  std::string text() const;
  /// SHA-256 of the text, in hex.
  std::string id() const;
  /// The canonical form on one line, for messages.
  std::string one_line() const;

  /// The same schematic with these kernel arguments behind its own. Those that it has already are
  /// not added again.
  Schematic with_kernel_arguments(const std::vector<std::string>& arguments) const;

 private:
  explicit Schematic(yaml::Node canonical) : canonical_(std::move(canonical)) {}

  yaml::Node canonical_;
};

/// One value in which two schematics differ.
struct SchematicChange {
  std::string path;    // customization.extraKernelArgs[1]
  std::string before;  // empty: it was not there
  std::string after;   // empty: it is gone
};

std::vector<SchematicChange> compare(const Schematic& before, const Schematic& after);

}  // namespace ichor
