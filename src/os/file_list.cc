#include "os/file_list.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace ichor {

Result<std::vector<std::string>> list_files(const std::string& folder, std::size_t count_max) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  fs::recursive_directory_iterator entry(folder, error);
  if (error) return fail(Errc::invalid, fmt::format("{}: {}", folder, error.message()));
  const fs::recursive_directory_iterator end;
  while (entry != end) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory(error)) entry.disable_recursion_pending();
    if (!hidden && entry->is_regular_file(error)) {
      files.push_back(entry->path().lexically_relative(folder).string());
    }
    if (files.size() > count_max) {
      return fail(Errc::invalid, fmt::format("{} has more than {} files", folder, count_max));
    }
    entry.increment(error);
    if (error) return fail(Errc::invalid, fmt::format("{}: {}", folder, error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool has_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace ichor
