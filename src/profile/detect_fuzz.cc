#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "profile/detect.h"
#include "profile/write_profile.h"

namespace ichor {
namespace {

constexpr std::array<const char*, 6> kNames = {"ichor.yaml",   "talconfig.yaml", "cluster.toml",
                                               "cluster.yaml", "topf.yaml",      "profile"};

/// The environment has one variable, and every file that is asked for has the same text.
ReaderInputs around(std::string_view beside) {
  ReaderInputs inputs;
  inputs.variable = [](const std::string& name) {
    return name == "HOME" ? std::optional<std::string>("/home/user") : std::nullopt;
  };
  inputs.file = [beside](const std::string&) -> Result<std::optional<std::string>> {
    if (beside.empty()) return std::optional<std::string>();
    return std::optional<std::string>(beside);
  };
  return inputs;
}

/// What is refused is explained, and what is taken can be written as ichor.yaml and read again.
void read_and_write(std::string_view text, const std::string& name, std::string_view beside) {
  const ProfileReading reading = read_any_profile(text, name, around(beside));
  for (const Finding& finding : reading.findings) {
    check(!finding.where.empty(), "a finding has a place");
    check(!finding.what.empty(), "a finding says what is wrong");
    check(!finding.fix.empty(), "a finding says what to do");
  }
  if (!reading.ok() || name != "ichor.yaml") return;
  const std::string written = write_profile(reading.profile);
  const ProfileReading again = read_profile(written, name);
  check(again.ok(), again.ok() ? "" : again.findings.front().what);
  check(again.profile.nodes.size() == reading.profile.nodes.size(), "no node is lost");
}

}  // namespace
}  // namespace ichor

/// The first byte chooses the format; a zero byte parts the profile from the files beside it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t zero = all.find('\0');
  const std::string_view beside =
      zero == std::string_view::npos ? std::string_view() : all.substr(zero + 1);
  ichor::read_and_write(all.substr(0, zero), ichor::kNames[data[0] % ichor::kNames.size()], beside);
  return 0;
}
