#include <fmt/format.h>

#include "profile/envsubst.h"
#include "profile/talconfig_node.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

constexpr std::string_view kVariableFix = "set it in the environment or in talenv.yaml";

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

}  // namespace

std::optional<std::string> TalconfigFiles::variable(const std::string& name) const {
  if (const auto found = own_.find(name); found != own_.end()) return found->second;
  return inputs_.variable(name);
}

std::optional<std::string> TalconfigFiles::load(const yaml::Node& value, const std::string& path) {
  auto text = inputs_.file(path);
  if (text && *text) return **std::move(text);
  log_.add(value.at, "profile.value",
           text ? fmt::format("there is no file {}", path) : text.error().message,
           "correct the name; it is taken from the folder of talconfig.yaml");
  return std::nullopt;
}

std::optional<std::string> TalconfigFiles::content(const yaml::Node& value, bool substituted) {
  if (!value.text.starts_with('@')) return value.text;
  auto text = load(value, std::string(without_blanks(std::string_view(value.text).substr(1))));
  if (!text || !substituted) return text;
  auto result = substitute(*text, [this](const std::string& name) { return variable(name); });
  if (result) return *std::move(result);
  log_.add(value.at, "profile.variable", fmt::format("{}: {}", value.text, result.error()),
           std::string(kVariableFix));
  return std::nullopt;
}

std::optional<RecipePatch> TalconfigFiles::named(const yaml::Node& value, std::string path) {
  auto text = load(value, path);
  if (!text) return std::nullopt;
  RecipePatch patch{std::move(path), *std::move(text)};
  if (patch.text.find('$') == std::string::npos) return patch;
  // In the tree and not in the text, because a comment may name variables that are not set.
  auto documents = yaml::parse_or_explain(patch.text, patch.name);
  if (!documents) {
    log_.add(value.at, "profile.syntax", documents.error().message(), "correct the patch");
    return std::nullopt;
  }
  ReadingLog inner;
  inner.source = ProfileSource(patch.name);
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *documents) {
    substitute(
        document.root, [this](const std::string& name) { return variable(name); }, inner);
    roots.push_back(std::move(document.root));
  }
  patch.text = yaml::emit_all(roots);
  for (Finding& finding : inner.take()) {
    finding.fix += "; `$patch` is written as `$$patch` here";
    log_.findings.emplace_back(value.at, std::move(finding));
  }
  return patch;
}

std::optional<RecipePatch> TalconfigFiles::patch(const yaml::Node& value) {
  std::optional<RecipePatch> patch;
  if (value.text.starts_with('@')) {
    patch = named(value, std::string(without_blanks(std::string_view(value.text).substr(1))));
  } else {
    patch = RecipePatch{yaml::to_text(log_.source.file(), value.at), value.text};
  }
  if (!patch || without_blanks(patch->text).empty()) return std::nullopt;
  if (patch->text.find("{{") == std::string::npos) return patch;
  log_.add(value.at, "profile.value",
           fmt::format("{} is a template of Go, which ichor does not render", patch->name),
           "write the value out, or use a ${VARIABLE}");
  return std::nullopt;
}

}  // namespace ichor
