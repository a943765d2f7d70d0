#include "cli/command_list.h"

namespace ichor {

void declare_migrate(FlagSet& flags, Request& request) {
  MigrateRequest& migrate = request.emplace<MigrateRequest>();
  flags.argument("FILE", FlagSet::Need::optional, [&migrate](const std::string& text) {
    migrate.file = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  });
  flags.text("--to", "VERSION", migrate.to);
  flags.text("-o,--output", "FILE|-", migrate.output);
  flags.flag("--write", migrate.write);
  flags.text("--kubernetes-version", "VERSION", migrate.kubernetes_version);
  flags.rule([&migrate]() -> std::string {
    if (migrate.to.empty()) return "needs --to VERSION, for example --to v1.14";
    if (migrate.write && migrate.output != "-") return "takes --write or --output, not both";
    const bool profile = migrate.file.empty();
    if (profile && migrate.output != "-") {
      return "takes --output with a FILE; the patches of a profile are converted with --write";
    }
    return "";
  });
}

}  // namespace ichor
