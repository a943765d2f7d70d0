#include "profile/repository.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace ichor {

namespace {

/// An absolute path without ".", ".." and doubled slashes; "/" for the root.
std::string normal(const std::string& path, Files& files) {
  const std::string whole = files.absolute(path.empty() ? "." : path);
  std::vector<std::string_view> parts;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part != "..") parts.push_back(part);
    if (part == ".." && !parts.empty()) parts.pop_back();
  }
  std::string result;
  for (const std::string_view part : parts) result += "/" + std::string(part);
  return result.empty() ? "/" : result;
}

bool is_work_tree(const std::string& folder, Files& files) {
  const std::string mark = folder + "/.git";
  return files.has_file(mark) || files.list_folder(mark).has_value();
}

}  // namespace

Repository::Repository(const std::string& folder, Files& files) : files_(files) {
  const std::string own = normal(folder, files);
  root_ = own;
  for (std::string at = own; at.size() > 1; at.resize(at.rfind('/'))) {
    if (!is_work_tree(at, files)) continue;
    root_ = at;
    return;
  }
}

Result<std::string> Repository::read(const std::string& path) const {
  const std::string file = normal(path, files_);
  const std::string below = root_ == "/" ? root_ : root_ + "/";
  if (file.size() <= below.size() || !file.starts_with(below)) {
    return fail(Errc::unsafe,
                fmt::format("{}: lies outside of the repository {}; only files below it are read",
                            path, root_));
  }
  const std::string name = file.substr(below.size());
  auto text = files_.read_below(root_, name);
  if (!text) return forward_error(text);
  if (!*text) return fail(Errc::invalid, fmt::format("{}: No such file or directory", path));
  return **std::move(text);
}

}  // namespace ichor
