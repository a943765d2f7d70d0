#include "cli/command_list.h"

namespace ichor {

void declare_validate(FlagSet& flags, Request& request) {
  ValidateRequest& validate = request.emplace<ValidateRequest>();
  flags.text("-c,--config", "FILE", validate.config);
  flags.choice<std::optional<ValidateMode>>("-m,--mode", "MODE",
                                            {{"metal", ValidateMode::metal},
                                             {"cloud", ValidateMode::cloud},
                                             {"container", ValidateMode::container}},
                                            validate.mode);
  flags.flag("--strict", validate.strict);
  flags.text("--talos-version", "VERSION", validate.talos_version);
  flags.rule([&validate]() -> std::string {
    if (validate.config.empty()) return "needs --config FILE";
    return validate.mode ? "" : "needs --mode metal, cloud or container";
  });
}

}  // namespace ichor
