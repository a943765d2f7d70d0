#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/node.h"
#include "yaml/node.h"

namespace ichor::sim {

/// machine.install.diskSelector, as Talos compiles it: terms in a fixed order, all of which must
/// hold.
class DiskSelector {
 public:
  /// The error is Talos' text about a selector that it cannot compile.
  static tl::expected<DiskSelector, std::string> read(const yaml::Node& selector);

  /// The first disk in the order of ids that matches; nullptr if none does.
  const Disk* choose(const std::vector<Disk>& disks) const;
  /// The CEL expression that Talos prints.
  std::string expression() const;

 private:
  struct Size {
    std::string op;
    std::uint64_t bytes{0};
  };
  std::optional<std::string> take_size(std::string_view text);
  bool matches(const Disk& disk) const;

  std::optional<Size> size_;
  std::string uuid_;
  std::string wwid_;
  std::string model_;
  std::string serial_;
  std::string modalias_;
  std::string type_;
  std::string bus_path_;
};

}  // namespace ichor::sim
