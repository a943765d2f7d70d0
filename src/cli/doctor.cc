#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_doctor(FlagSet& flags, Request& request) {
  DoctorRequest& doctor = request.emplace<DoctorRequest>();
  flags.flag("--last", doctor.last);
  flags.flag("--all", doctor.all);
  flags.flag("--markdown", doctor.markdown);
  declare_addresses(flags, doctor.nodes);
  declare_identity(flags, doctor.nodes.access);
  declare_endpoints(flags, doctor.nodes.access);
  flags.arguments("SUBJECT", [&doctor](const std::string& word) {
    doctor.subject += (doctor.subject.empty() ? "" : " ") + word;
    return std::string();
  });
  flags.rule([&doctor]() -> std::string {
    const int asked = int{doctor.last} + int{doctor.all} + int{!doctor.subject.empty()};
    if (asked == 0) return "needs an ID, a NODE, the text of an error, --last or --all";
    if (asked > 1) return "one thing at a time: an ID, a NODE, an error, --last or --all";
    return doctor.markdown && !doctor.all ? "--markdown is for --all" : "";
  });
}

}  // namespace ichor
