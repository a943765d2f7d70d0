#include "lab/folders.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/control.h"
#include "lab/state_files.h"
#include "os/durable_file.h"
#include "os/fd.h"
#include "os/temp_dir.h"

namespace ichor::lab {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = "ichor-lab.";
constexpr const char* kMachines = ".machine.json";
/// Files that a lab and ichor leave at the top of the folder, and folders of ichor's own.
constexpr std::array<std::string_view, 8> kFiles{".gitignore",    "lock",      "lab.json",
                                                 "machines.json", "etcd.json", "addresses.json",
                                                 "control.sock",  "lab.log"};
constexpr std::array<std::string_view, 2> kFolders{"ichor", "configs"};

/// Whether this process holds the lab's lock now; it does so until `lock` is closed.
bool take_lock(const Fd& lock) { return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0; }

Fd open_lock(const Folder& folder) {
  return Fd(::openat(folder.fd(), "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC));
}

bool is_file(const Folder& folder, const char* name) {
  struct stat found {};
  return ::fstatat(folder.fd(), name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode);
}

bool made_by_lab(const Folder& folder) {
  return is_file(folder, "lab.json") && is_file(folder, "lock") && is_file(folder, ".gitignore");
}

std::int64_t changed_ms(const Folder& folder) {
  struct stat found {};
  if (::fstatat(folder.fd(), "lab.json", &found, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1000;
}

bool is_temporary(const std::string& path) {
  const fs::path place(path);
  return place.filename().string().starts_with(kTemporary) &&
         place.parent_path() == fs::path(temp_root());
}

bool is_known(const fs::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().filename();
  const fs::file_status status = entry.symlink_status(error);
  if (fs::is_directory(status)) {
    return std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end();
  }
  if (!fs::is_regular_file(status) && !fs::is_socket(status)) return false;
  const bool of_lab = std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end();
  // ichor keeps what a kubeconfig replaced as kubeconfig.bak, and so on.
  const bool kubeconfig = name == "kubeconfig" || name.starts_with("kubeconfig.bak");
  return of_lab || kubeconfig || name.ends_with(kMachines) || name.ends_with(".json.new");
}

/// Whether ichor writes files of this name into its folders.
bool is_known_below(const std::string& name) {
  constexpr std::array<std::string_view, 6> names{"lock",       ".gitignore",     "talosconfig",
                                                  "journal.db", "journal.db-wal", "journal.db-shm"};
  // What a newer file replaced stays beside it as NAME.bak.
  constexpr std::array<std::string_view, 8> ends{".yaml", ".json", ".html", ".log",
                                                 ".txt",  ".tgz",  ".new",  ".bak"};
  const bool named = std::find(names.begin(), names.end(), name) != names.end();
  return named || name.starts_with("kubeconfig") ||
         std::any_of(ends.begin(), ends.end(), [&](auto end) { return name.ends_with(end); });
}

/// Something in one of ichor's folders that ichor has not made; empty: there is nothing.
std::string foreign_below(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const fs::file_status status = entry.symlink_status(error);
    if (fs::is_directory(status)) continue;
    const bool known = fs::is_regular_file(status) && is_known_below(entry.path().filename());
    if (!known) return entry.path().lexically_relative(folder.parent_path());
  }
  return error ? folder.filename().string() : std::string();
}

/// Without a slash at its end, which would follow a link, and without dots.
std::string plain_path(const std::string& path) {
  const fs::path plain = fs::path(path).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

/// A run of ichor that works on the lab's machines.
bool run_under_way(const std::string& path) {
  std::error_code error;
  for (const auto& state : fs::directory_iterator(path + "/ichor", error)) {
    const Fd lock(::open((state.path() / "lock").c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    if (lock.open() && ::fcntl(lock.get(), F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK) {
      return true;
    }
  }
  return false;
}

void add_labs(const fs::path& parent, std::string_view prefix, std::set<std::string>& paths) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const bool folder = fs::is_directory(entry.symlink_status(error));
    if (folder && entry.path().filename().string().starts_with(prefix)) {
      paths.insert(entry.path().lexically_normal());
    }
  }
}

}  // namespace

Result<LabFolder> look_at_folder(const std::string& named) {
  const std::string path = plain_path(named);
  struct stat found {};
  // Opening it would change the modes of a folder that is not ours to change.
  if (::lstat(path.c_str(), &found) != 0) return fail(Errc::invalid, path + ": No such folder");
  const bool private_folder =
      S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & 07777) == 0700;
  if (!private_folder) return fail(Errc::invalid, path + " is no folder of a lab");
  const auto folder = Folder::open(path, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  if (!made_by_lab(*folder)) return fail(Errc::invalid, path + " is no folder of a lab");
  LabFolder lab;
  lab.path = path;
  lab.temporary = is_temporary(path);
  lab.changed_ms = changed_ms(*folder);
  if (const auto machines = list_files(*folder, kMachines)) lab.machines = machines->size();
  const Fd lock = open_lock(*folder);
  lab.runs = lock.open() && !take_lock(lock);
  if (!lab.runs) return lab;
  if (const auto status = status_of(path)) lab.pid = status->pid;
  return lab;
}

std::vector<LabFolder> find_labs(const std::vector<std::string>& places) {
  std::set<std::string> paths;
  add_labs(temp_root(), kTemporary, paths);
  for (const std::string& place : places) {
    const fs::path path = plain_path(place);
    paths.insert(path);
    add_labs(path, "", paths);
  }
  std::vector<LabFolder> labs;
  for (const std::string& path : paths) {
    if (auto lab = look_at_folder(path)) labs.push_back(*std::move(lab));
  }
  return labs;
}

Result<void> remove_folder(const std::string& named) {
  const std::string path = plain_path(named);
  const auto lab = look_at_folder(path);
  if (!lab) return forward_error(lab);
  const auto folder = Folder::open(path, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  const Fd lock = open_lock(*folder);
  if (!lock.open() || !take_lock(lock)) {
    return fail(Errc::locked, fmt::format("the lab in {0} runs; `ichor lab stop --state {0}` ends "
                                          "it, then remove it again",
                                          path));
  }
  if (run_under_way(path)) {
    return fail(Errc::locked, "a run of ichor works on the lab in " + path + "; wait for its end");
  }
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    std::string foreign = is_known(entry) ? "" : entry.path().filename().string();
    if (foreign.empty() && entry.is_directory()) foreign = foreign_below(entry.path());
    if (!foreign.empty()) {
      return fail(Errc::unsafe, fmt::format("{} has {}, which no lab has made; move it to another "
                                            "folder, then remove the lab again",
                                            path, foreign));
    }
    entries.push_back(entry.path());
  }
  // The marks of a lab go last, so that what an interruption leaves can be removed the same way.
  std::stable_partition(entries.begin(), entries.end(), [](const fs::path& entry) {
    const std::string name = entry.filename();
    return name != "lab.json" && name != "lock" && name != ".gitignore";
  });
  for (const fs::path& entry : entries) {
    fs::remove_all(entry, error);
    if (error) return fail(Errc::io, fmt::format("{}: {}", entry.string(), error.message()));
  }
  fs::remove(path, error);
  if (error) return fail(Errc::io, fmt::format("{}: {}", path, error.message()));
  return {};
}

}  // namespace ichor::lab
