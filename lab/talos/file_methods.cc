#include <algorithm>
#include <map>

#include "lab/talos/methods.h"
#include "machine.pb.h"
#include "machine_files.pb.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;

constexpr std::uint32_t kDirectory = 0x80000000u | 0755;  // Go's bit for directories
constexpr std::uint32_t kFile = 0644;

struct File {
  bool directory{true};
  std::string content;
};

/// What is to be found on a node, by path. Only what a client may want to know.
std::map<std::string, File> files_of(Exchange& exchange) {
  const sim::Node& node = exchange.node();
  std::map<std::string, File> files;
  const auto add = [&](const std::string& path, std::string content) {
    files[path] = {false, std::move(content)};
  };
  const std::string version = to_text(sim::version_of(node.spec()));
  add("/etc/hostname", node.hostname().value() + "\n");
  add("/etc/os-release", "NAME=\"Talos\"\nID=talos\nVERSION_ID=" + version +
                             "\nPRETTY_NAME=\"Talos (" + version + ")\"\n");
  add("/proc/sys/kernel/random/boot_id", node.boot_id().value() + "\n");
  add("/proc/sys/kernel/hostname", node.hostname().value() + "\n");
  add("/proc/cmdline", "talos.platform=metal\n");
  files["/var/lib"] = {};
  const auto config = exchange.machine().config();
  if (config && config->control_plane()) {
    files["/var/lib/etcd"] = {};
    if (node.etcd_has_data(exchange.caller()).value_or(false)) {
      add("/var/lib/etcd/member/snap/db", "");
      files["/var/lib/etcd/member/wal"] = {};
    }
  }
  // A path's folders are there too.
  std::map<std::string, File> folders;
  for (const auto& [path, file] : files) {
    for (std::size_t at = path.rfind('/'); at != std::string::npos && at > 0;
         at = path.rfind('/', at - 1)) {
      folders[path.substr(0, at)] = {};
    }
  }
  files.merge(folders);
  files["/"] = {};
  return files;
}

std::string clean_path(std::string path) {
  if (!path.starts_with('/')) path.insert(0, 1, '/');
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

void send_info(Exchange& exchange, const std::string& path, const std::string& relative,
               const File& file) {
  machine::FileInfo info;
  info.set_name(path);
  info.set_relative_name(relative);
  info.set_is_dir(file.directory);
  info.set_mode(file.directory ? kDirectory : kFile);
  info.set_size(file.directory ? 4096 : static_cast<std::int64_t>(file.content.size()));
  info.set_modified(exchange.site().clock().wall().unix_ms / 1000);
  exchange.send(info);
}

void list(Exchange& exchange, const machine::ListRequest& request) {
  const std::string root = clean_path(request.root());
  const auto files = files_of(exchange);
  const auto found = files.find(root);
  if (found == files.end()) {
    exchange.end(Code::unknown, "lstat " + root + ": no such file or directory");
    return;
  }
  send_info(exchange, root, found->second.directory ? "." : root.substr(root.rfind('/') + 1),
            found->second);
  const int depth_max = !request.recurse() ? 1 : request.recursion_depth();
  const std::string below = root == "/" ? "/" : root + "/";
  for (const auto& [path, file] : files) {
    if (!path.starts_with(below) || path == root) continue;
    const std::string relative = path.substr(below.size());
    const auto depth = 1 + std::count(relative.begin(), relative.end(), '/');
    if (depth_max > 0 && depth > depth_max) continue;
    send_info(exchange, path, relative, file);
  }
  exchange.done();
}

void read(Exchange& exchange, const machine::ReadRequest& request) {
  const auto files = files_of(exchange);
  const auto found = files.find(request.path());
  if (found == files.end()) {
    exchange.end(Code::not_found, "stat " + request.path() + ": no such file or directory");
    return;
  }
  if (found->second.directory) {
    exchange.end(Code::unknown, "path must be a regular file");
    return;
  }
  common::Data data;
  data.set_bytes(found->second.content);
  exchange.reply(data);
}

void disk_usage(Exchange& exchange, const machine::DiskUsageRequest& request) {
  const auto files = files_of(exchange);
  for (const std::string& wanted : request.paths()) {
    const std::string path = clean_path(wanted);
    machine::DiskUsageInfo info;
    info.set_name(path);
    info.set_relative_name(path);
    if (files.contains(path)) {
      info.set_size(4096);
    } else {
      info.set_error("lstat " + path + ": no such file or directory");
    }
    exchange.send(info);
  }
  exchange.done();
}

}  // namespace

const std::vector<Method>& file_methods() {
  static const std::vector<Method> methods = {
      {kMachineService, "List", kAor, Kind::streams, with<list>},
      {kMachineService, "Read", kAdmin, Kind::streams, with<read>},
      {kMachineService, "DiskUsage", kAor, Kind::streams, with<disk_usage>},
  };
  return methods;
}

}  // namespace ichor::lab
