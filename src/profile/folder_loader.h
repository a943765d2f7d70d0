#pragma once

#include <string>

#include "port/host.h"
#include "template/render.h"

namespace ichor {

/// Templates below a folder of this machine. `host` must outlive it.
class FolderLoader final : public jinja::Loader {
 public:
  FolderLoader(std::string root, Host& host) : root_(std::move(root)), host_(host) {}

  Result<std::optional<std::string>> load(const std::string& name) override {
    return host_.read_below(root_, name);
  }

 private:
  std::string root_;
  Host& host_;
};

}  // namespace ichor
