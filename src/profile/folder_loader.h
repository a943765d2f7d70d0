#pragma once

#include <string>

#include "port/files.h"
#include "template/render.h"

namespace ichor {

/// Templates below a folder of this machine. `files` must outlive it.
class FolderLoader final : public jinja::Loader {
 public:
  FolderLoader(std::string root, Files& files) : root_(std::move(root)), files_(files) {}

  Result<std::optional<std::string>> load(const std::string& name) override {
    return files_.read_below(root_, name);
  }

 private:
  std::string root_;
  Files& files_;
};

}  // namespace ichor
