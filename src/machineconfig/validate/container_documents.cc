#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "machineconfig/go_scalar.h"
#include "machineconfig/validate/image.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_name(const View& document, Report& report) {
  const View name = document["name"];
  const std::string& text = name.text();
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!plain || text.empty() || text.size() > 63) {
    report.error(name.empty() ? document : name,
                 "the name must have 1 to 63 lower-case letters, digits and hyphens",
                 "choose another one");
  }
}

void check_image(const View& document, Report& report) {
  const View image = document["image"];
  switch (judge_image(image.text())) {
    case ImageJudgement::invalid:
      report.error(image.empty() ? document : image,
                   fmt::format("`{}` is not the name of an image", image.text()),
                   "write registry/name@sha256:DIGEST");
      break;
    case ImageJudgement::tagged:
      report.warning(image, "the image has no digest, so another one may run after a restart",
                     "pin it with @sha256:DIGEST");
      break;
    case ImageJudgement::pinned: break;
  }
}

bool require_path(const View& at, const View& path, const char* key, Report& report) {
  if (path.text().starts_with('/')) return true;
  report.error(path.empty() ? at : path, fmt::format("{} must be an absolute path", key),
               "write it with / in front");
  return false;
}

bool check_options(const View& options, Report& report) {
  static constexpr std::array<std::string_view, 8> known = {
      "ro", "rw", "noexec", "nosuid", "nodev", "noatime", "rbind", "rshared"};
  bool fine = true;
  int ways = 0;
  for (const View& option : options.items()) {
    if (std::find(known.begin(), known.end(), option.text()) == known.end()) {
      report.error(option, fmt::format("there is no mount option `{}`", option.text()),
                   "use ro, rw, noexec, nosuid, nodev, noatime, rbind or rshared");
      fine = false;
    }
    const int way = option.text() == "ro" ? 1 : option.text() == "rw" ? 2 : 0;
    ways |= way;
  }
  if (ways == 3) {
    report.error(options, "a mount cannot be both ro and rw", "keep one of them");
    fine = false;
  }
  return fine;
}

/// Where it is mounted, if nothing is wrong with it.
std::string check_mount(const View& mount, Report& report) {
  static constexpr std::array<const char*, 3> kinds = {"userVolume", "tmpfs", "hostPath"};
  std::vector<const char*> given;
  for (const char* const kind : kinds) {
    if (mount[kind]) given.push_back(kind);
  }
  if (given.size() != 1) {
    report.error(mount, "a mount must be one of userVolume, tmpfs and hostPath", "keep one");
    return "";
  }
  const View part = mount[given.front()];
  bool fine = true;
  if (given.front() == kinds[0] && part["name"].empty()) {
    report.error(part, "userVolume.name is missing", "add it");
    fine = false;
  }
  if (given.front() == kinds[2]) fine &= require_path(part, part["source"], "source", report);
  fine &= require_path(part, part["destination"], "destination", report);
  fine &= check_options(part["options"], report);
  return fine ? part["destination"].text() : "";
}

void check_mounts(const View& mounts, Report& report) {
  std::set<std::string> places;
  for (const View& mount : mounts.items()) {
    const std::string place = check_mount(mount, report);
    if (place.empty() || places.insert(place).second) continue;
    report.error(mount, fmt::format("`{}` appears twice", place), "remove one of them");
  }
}

bool is_capability(const std::string& name) {
  return !name.empty() && !name.starts_with("CAP_") &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

void check_security(const View& security, Report& report) {
  const View profile = security["profile"];
  if (!profile.empty() && profile.text() != "restricted" && profile.text() != "privileged") {
    report.error(profile, fmt::format("there is no security profile `{}`", profile.text()),
                 "write restricted or privileged");
  }
  std::set<std::string> added;
  for (const char* const list : {"add", "drop"}) {
    const bool adds = std::string_view(list) == "add";
    for (const View& name : security["capabilities"][list].items()) {
      const bool all = name.text() == "ALL";
      if (adds && all) {
        report.error(name, "ALL cannot be added", "write `profile: privileged`");
      } else if (!all && !is_capability(name.text())) {
        report.error(name, fmt::format("`{}` is no capability", name.text()),
                     "write it in capitals without CAP_, such as NET_ADMIN");
      }
      if (adds) {
        added.insert(name.text());
      } else if (added.contains(name.text())) {
        report.error(name, fmt::format("`{}` is both added and dropped", name.text()),
                     "keep one of them");
      }
    }
  }
}

void check_limits(const View& limits, Report& report) {
  const View memory = limits["memory"];
  if (!memory.empty() && !parse_byte_count(memory.text())) {
    report.error(memory, fmt::format("`{}` is no size", memory.text()), "write it as 512MiB");
  }
  const View cpu = limits["cpu"];
  if (cpu.empty()) return;
  const std::string_view text = cpu.text();
  std::uint64_t number = 0;
  const std::string_view digits = text.substr(0, text.size() - 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  if (!text.ends_with('m') || !whole || number == 0) {
    report.error(cpu, fmt::format("`{}` is not a share of processors", text), "write it as 500m");
  }
}

void check_dependencies(const View& document, Report& report) {
  static constexpr std::array<std::string_view, 4> conditions = {"addresses", "connectivity",
                                                                 "hostname", "etcfiles"};
  const View depends = document["dependsOn"];
  for (const View& path : depends["paths"].items()) require_path(path, path, "a path", report);
  for (const View& condition : depends["networks"].items()) {
    if (std::find(conditions.begin(), conditions.end(), condition.text()) != conditions.end()) {
      continue;
    }
    report.error(condition, fmt::format("the network has no condition `{}`", condition.text()),
                 "use addresses, connectivity, hostname or etcfiles");
  }
  for (const View& other : depends["containers"].items()) {
    if (other.empty()) {
      report.error(other, "a name in dependsOn.containers is empty", "remove it");
    } else if (other.text() == document["name"].text()) {
      report.error(other, "a container cannot depend on itself", "remove it");
    }
  }
}

void check_container(const View& document, Report& report) {
  check_name(document, report);
  check_image(document, report);
  for (const View& variable : document["environment"].items()) {
    if (variable.text().find('=') != std::string::npos) continue;
    report.error(variable, "a variable of environment has no value", "write it as KEY=value");
  }
  check_mounts(document["mounts"], report);
  check_security(document["security"], report);
  const View mode = document["network"]["mode"];
  if (!mode.empty() && mode.text() != "none" && mode.text() != "host") {
    report.error(mode, fmt::format("there is no network mode `{}`", mode.text()),
                 "write none or host");
  }
  check_limits(document["resources"]["limits"], report);
  check_dependencies(document, report);
  for (const char* const key : {"uid", "gid"}) {
    const View id = document["runAs"][key];
    if (id.number() < 0) {
      report.error(id, fmt::format("runAs.{} cannot be below zero", key), "choose another one");
    }
  }
}

}  // namespace

std::span<const DocumentRule> container_document_rules() {
  static constexpr DocumentRule list[] = {{"ContainerConfig", check_container}};
  return list;
}

}  // namespace ichor::validate
