#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "machineconfig/go_url.h"
#include "machineconfig/validate/named.h"
#include "machineconfig/validate/names.h"
#include "machineconfig/validate/subject.h"
#include "secrets/base64.h"

namespace ichor::validate {

namespace {

void check_identity(const View& document, Report& report) {
  require_text(document, "clusterID", report);
  const View secret = document["clusterSecret"];
  if (secret.empty()) return require_text(document, "clusterSecret", report);
  std::string bare = secret.text();
  std::erase_if(bare, [](char c) { return c == '\n' || c == '\r'; });
  const auto decoded = pki::from_base64(bare);
  if (decoded && decoded->size() == 32) return;
  report.error(secret, "clusterSecret must be 32 bytes in base64",
               "take it from the secrets bundle");
}

void check_service(const View& document, Report& report) {
  require_name(document, report);
  const View endpoint = document["endpoint"];
  if (endpoint.empty()) return require_text(document, "endpoint", report);
  const auto url = parse_go_url(endpoint.text());
  const std::string_view scheme = url ? std::string_view(url->scheme) : "";
  if (scheme != "http" && scheme != "https" && scheme != "grpc") {
    report.error(endpoint, "the endpoint must begin with https://, http:// or grpc://",
                 "write https://HOST/");
  } else if (url->host.empty() || url->host.starts_with(':')) {
    report.error(endpoint, "the endpoint names no host", "write https://HOST/");
  }
}

void check_unattended_install(const View& document, Report& report) {
  if (document["installer"]["image"].empty()) {
    report.warning(document, "installer.image is missing: only media of the Image Factory know it",
                   "add the installer image");
  }
  const View match = document["provisioning"]["diskSelector"]["match"];
  if (match.empty()) {
    report.error(document, "provisioning.diskSelector.match is missing",
                 "add an expression that selects the disk");
  } else {
    report.expression(match, "diskSelector.match", cel::Place::disk_selector);
  }
}

void check_trim(const View& document, Report& report) {
  require_positive(document["interval"], "interval", report);
}

void check_scrub(const View& document, Report& report) {
  require_scrub_interval(document["interval"], report);
}

void check_params(const View& document, Report& report) {
  for (const auto& [key, value] : document["params"].entries()) {
    if (key.empty()) report.error(value, "a parameter has no name", "add it");
  }
}

/// Whether a path stays below where it begins.
bool is_local(std::string_view path) {
  if (path.empty() || path.starts_with('/')) return false;
  int depth = 0;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part == "..") {
      if (--depth < 0) return false;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
  }
  return true;
}

void check_etc_file(const View& document, Report& report) {
  static constexpr std::array<std::string_view, 7> files = {
      "resolv.conf", "hosts",      "machine-id", "extensions.yaml",
      "localtime",   "os-release", "xattr.conf"};
  static constexpr std::array<std::string_view, 12> folders = {
      "apparmor", "apparmor.d", "ca-certificates", "cni", "cri", "iscsi", "kubernetes", "lvm",
      "nvme",     "pki",        "selinux",         "ssl"};
  const View name = document["name"];
  if (name.empty()) return require_name(document, report);
  if (!is_local(name.text()) || name.text().starts_with('.')) {
    report.error(name, fmt::format("`{}` is not a path below /etc", name.text()),
                 "write it without /etc/ in front, such as nfsmount.conf");
    return;
  }
  const std::string_view folder = std::string_view(name.text()).substr(0, name.text().find('/'));
  const bool owned = std::find(files.begin(), files.end(), name.text()) != files.end() ||
                     std::find(folders.begin(), folders.end(), folder) != folders.end();
  if (owned) {
    report.error(name, fmt::format("Talos manages /etc/{} itself", name.text()),
                 "choose another file");
  }
}

void check_customization(const View& document, Report& report) {
  const View name = document["name"];
  if (const std::string trouble = qualified_name_trouble(name.text()); !trouble.empty()) {
    report.error(name, fmt::format("the name `{}` {}", name.text(), trouble),
                 "choose another name");
  }
  if (name.text() == "customization") {
    report.error(name, "the name `customization` stands for the old file", "choose another name");
  }
}

void check_base_spec(const View& document, Report& report) {
  check_runtime_overrides(document["overrides"], "overrides", report);
}

}  // namespace

std::span<const DocumentRule> cluster_document_rules() {
  static constexpr DocumentRule list[] = {
      {"CRIBaseRuntimeSpecConfig", check_base_spec},
      {"CRICustomizationConfig", check_customization},
      {"DiscoveryIdentityConfig", check_identity},
      {"DiscoveryServiceConfig", check_service},
      {"EtcFileConfig", check_etc_file},
      {"FilesystemScrubConfig", check_scrub},
      {"FilesystemTrimConfig", check_trim},
      {"KernelModuleConfig", require_name},
      {"SysctlConfig", check_params},
      {"SysfsConfig", check_params},
      {"UnattendedInstallConfig", check_unattended_install},
  };
  return list;
}

}  // namespace ichor::validate
