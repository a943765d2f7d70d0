#pragma once

#include <string>

#include "port/desk.h"
#include "template/render.h"

namespace ichor {

/// Templates below a folder of this machine. `desk` must outlive it.
class FolderLoader final : public jinja::Loader {
 public:
  FolderLoader(std::string root, Desk& desk) : root_(std::move(root)), desk_(desk) {}

  Result<std::optional<std::string>> load(const std::string& name) override {
    return desk_.read_below(root_, name);
  }

 private:
  std::string root_;
  Desk& desk_;
};

}  // namespace ichor
