#include "cli/command_list.h"

namespace ichor {

namespace {

std::string take_setting(const std::string& text, RenderRequest& render) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0) return "\"" + text + "\" is no KEY=VALUE";
  render.settings.emplace_back(text.substr(0, sign), text.substr(sign + 1));
  return {};
}

}  // namespace

void declare_render(FlagSet& flags, Request& request) {
  RenderRequest& render = request.emplace<RenderRequest>();
  flags.argument("TEMPLATE", FlagSet::Need::required, [&render](const std::string& text) {
    render.file = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  });
  const auto take_variables = [&render](const std::string& text) {
    render.variable_files.push_back(text);
    return std::string();
  };
  flags.value("--vars", "FILE", take_variables, FlagSet::Times::many);
  flags.value(
      "--set", "KEY=VALUE",
      [&render](const std::string& text) { return take_setting(text, render); },
      FlagSet::Times::many);
  flags.choice<DelimiterSet>(
      "--delimiters", "SET",
      {{"jinja", DelimiterSet::jinja}, {"makejinja", DelimiterSet::makejinja}}, render.delimiters);
  flags.flag("--trim-blocks", render.trim_blocks);
  flags.flag("--lstrip-blocks", render.lstrip_blocks);
  flags.flag("--keep-trailing-newline", render.keep_trailing_newline);
  flags.text("--template-root", "DIR", render.template_root);
  flags.text("-o,--output", "FILE", render.output);
}

}  // namespace ichor
