#include "cli/command_list.h"

namespace ichor {

const std::vector<CommandSpec>& commands() {
  static const std::vector<CommandSpec> list{
      {"simulate", "live through many bad days in a simulated world", declare_simulate},
      {"completion", "print the completion script of a shell", declare_completion},
      {"version", "print version and commit", declare_version},
  };
  return list;
}

void declare_common(FlagSet& flags, CommonOptions& common, bool& help) {
  flags.text("-p,--profile", "FILE", common.profile);
  flags.text("--cluster", "NAME", common.cluster);
  flags.text("--state-dir", "DIR", common.state_dir);
  flags.choice<OutputFormat>("-o,--output", "FORMAT",
                             {{"table", OutputFormat::table}, {"json", OutputFormat::json}},
                             common.output);
  flags.flag("-q,--quiet", common.quiet);
  flags.flag("-h,--help", help);
}

}  // namespace ichor
