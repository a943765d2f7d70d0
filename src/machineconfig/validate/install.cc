#include <fmt/format.h>
#include <set>

#include "machineconfig/rules.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_disk(const View& install, Report& report) {
  const View selector = install["diskSelector"];
  const std::string& type = selector["type"].text();
  bool broken = false;
  if (!selector["name"].empty()) {
    report.error(selector["name"], "a disk cannot be selected by its name",
                 "write `disk: /dev/NAME`, or select by model, serial or wwid");
    broken = true;
  }
  if (!type.empty() && type != "nvme" && type != "sd" && type != "hdd" && type != "ssd") {
    report.error(selector["type"], fmt::format("the disk type `{}` is not known", type),
                 "write nvme, ssd, hdd or sd");
    broken = true;
  }
  if (!broken && install["disk"].empty() && !selector) {
    report.error(install, "machine.install names no disk", "add `disk` or `diskSelector`");
  }
}

}  // namespace

void check_install(const Subject& subject, Report& report) {
  const View install = subject.machine()["install"];
  if (subject.mode == RuntimeMode::metal) {
    if (!install && rules_of(subject.minor).complete_without_v1alpha1) {
      // A document says it, or the machine is not to be installed.
    } else if (!install) {
      report.error(subject.machine(), "machine.install is missing",
                   "add `install` with `disk` or `diskSelector`, or use another mode");
    } else {
      check_disk(install, report);
      if (install["extraKernelArgs"].count() > 0 && install["grubUseUKICmdline"].flag()) {
        report.error(install["extraKernelArgs"],
                     "extraKernelArgs cannot be used together with grubUseUKICmdline",
                     "put the arguments into the schematic of the installer image, or set "
                     "grubUseUKICmdline to false");
      }
    }
  }
  std::set<std::string> images;
  const View extensions = install["extensions"];
  for (const View& extension : extensions.items()) {
    if (!images.insert(extension["image"].text()).second) {
      report.error(extension,
                   fmt::format("the extension `{}` appears twice", extension["image"].text()),
                   "remove one of them");
    }
  }
  if (!images.empty()) {
    report.warning(extensions, "machine.install.extensions is deprecated",
                   "put the extensions into the schematic of the installer image");
  }
}

}  // namespace ichor::validate
