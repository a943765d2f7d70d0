#include "command/repository.h"

#include <filesystem>
#include <fmt/format.h>

namespace ichor {

namespace {

namespace fs = std::filesystem;

fs::path whole(const std::string& path, Desk& desk) {
  fs::path normal = fs::path(desk.absolute(path.empty() ? "." : path)).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_work_tree(const fs::path& folder, Desk& desk) {
  const std::string mark = (folder / ".git").string();
  return desk.has_file(mark) || desk.list_folder(mark).has_value();
}

}  // namespace

Repository::Repository(const std::string& folder, Desk& desk) : desk_(desk) {
  const fs::path own = whole(folder, desk);
  root_ = own.string();
  for (fs::path at = own; at.has_relative_path(); at = at.parent_path()) {
    if (!is_work_tree(at, desk)) continue;
    root_ = at.string();
    return;
  }
}

Result<std::string> Repository::read(const std::string& path) const {
  const fs::path file = whole(path, desk_);
  const std::string name = file.lexically_relative(root_).string();
  if (name.empty() || name == ".." || name.starts_with("../")) {
    return fail(Errc::unsafe,
                fmt::format("{}: lies outside of the repository {}; only files below it are read",
                            path, root_));
  }
  auto text = desk_.read_below(root_, name);
  if (!text) return tl::unexpected(std::move(text).error());
  if (!*text) return fail(Errc::invalid, fmt::format("{}: No such file or directory", path));
  return **std::move(text);
}

}  // namespace ichor
