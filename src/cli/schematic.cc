#include "cli/command_list.h"

namespace ichor {

namespace {

void declare_file(FlagSet& flags, std::string& file) {
  flags.argument("FILE", FlagSet::Need::required, [&file](const std::string& text) {
    file = text;
    return std::string();
  });
}

}  // namespace

void declare_schematic_id(FlagSet& flags, Request& request) {
  declare_file(flags, request.emplace<SchematicIdRequest>().file);
}

void declare_schematic_show(FlagSet& flags, Request& request) {
  declare_file(flags, request.emplace<SchematicShowRequest>().file);
}

void declare_schematic_diff(FlagSet& flags, Request& request) {
  SchematicDiffRequest& diff = request.emplace<SchematicDiffRequest>();
  declare_file(flags, diff.before);
  declare_file(flags, diff.after);
  flags.flag("--detailed-exitcode", diff.detailed_exitcode);
}

void declare_schematic_upload(FlagSet& flags, Request& request) {
  SchematicUploadRequest& upload = request.emplace<SchematicUploadRequest>();
  declare_file(flags, upload.file);
  flags.text("--factory", "URL", upload.factory);
}

}  // namespace ichor
