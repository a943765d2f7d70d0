#include "profile/repository.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace ichor {

namespace {

/// A path without ".", ".." and doubled slashes, as far as it is known what they stand for; "." for
/// the folder that we work in.
std::string normal(const std::string& path, Files& files) {
  const std::string whole = files.absolute(path.empty() ? "." : path);
  std::vector<std::string_view> parts;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    const bool goes_back = part == ".." && !parts.empty() && parts.back() != "..";
    if (goes_back) parts.pop_back();
    if (!goes_back && (part != ".." || !whole.starts_with('/'))) parts.push_back(part);
  }
  const std::string root = whole.starts_with('/') ? "/" : "";
  if (parts.empty()) return root.empty() ? "." : root;
  return root + fmt::format("{}", fmt::join(parts, "/"));
}

bool is_work_tree(const std::string& folder, Files& files) {
  const std::string mark = folder + "/.git";
  return files.has_file(mark) || files.list_folder(mark).has_value();
}

}  // namespace

Repository::Repository(const std::string& folder, Files& files) : files_(files) {
  const std::string own = normal(folder, files);
  root_ = own;
  for (std::string at = own; at != "/" && at != ".";) {
    if (is_work_tree(at, files)) {
      root_ = at;
      return;
    }
    const std::size_t slash = at.rfind('/');
    if (slash == std::string::npos) return;
    at.resize(slash);
    if (at.empty()) return;
  }
}

Result<std::string> Repository::read(const std::string& path) const {
  const std::string file = normal(path, files_);
  std::string below = root_ == "/" ? root_ : root_ + "/";
  if (root_ == ".") below.clear();
  const bool leads_out =
      file == "." || file.starts_with("../") || file.starts_with('/') != root_.starts_with('/');
  if (leads_out || file.size() <= below.size() || !file.starts_with(below)) {
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
