#include "cli/kube_options.h"

#include <array>
#include <utility>

#include "cli/options.h"

namespace ichor {

std::string take_phase(const std::string& word, UpPart& target) {
  constexpr std::array<std::pair<const char*, UpPart>, 8> words{
      {{"0", UpPart::secrets},
       {"1", UpPart::crds},
       {"2", UpPart::core},
       {"3", UpPart::validation},
       {"secrets", UpPart::secrets},
       {"crds", UpPart::crds},
       {"core", UpPart::core},
       {"validation", UpPart::validation}}};
  for (const auto& [known, part] : words) {
    if (word != known) continue;
    target = part;
    return {};
  }
  return "\"" + word + "\" is not a phase: 0 (secrets), 1 (crds), 2 (core) or 3 (validation)";
}

std::string take_part(const std::string& word, UpPart& target) {
  if (word != "talos") return take_phase(word, target);
  target = UpPart::talos;
  return {};
}

void declare_time(FlagSet& flags, const std::string& names, std::optional<Duration>& target) {
  flags.value(names, "TIME", [&target](const std::string& text) {
    target = parse_time(text);
    return target ? std::string() : "\"" + text + "\" is not a time such as 90s, 5m or 1h";
  });
}

}  // namespace ichor
