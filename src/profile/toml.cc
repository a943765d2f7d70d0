#include "profile/toml.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <sstream>
#include <toml++/toml.h>

#include "yaml/build.h"

namespace ichor {

namespace {

constexpr std::size_t kBytesMax = 4u << 20;

yaml::Position position_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

yaml::Node plain(std::string text) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.text = std::move(text);
  return node;
}

yaml::Node convert(const toml::node& from);

yaml::Node convert_table(const toml::table& table) {
  yaml::Node node;
  node.kind = yaml::Kind::mapping;
  for (const auto& [key, value] : table) {
    yaml::Entry entry{yaml::make_string(key.str()), convert(value)};
    entry.key.at = position_of(key.source());
    node.entries.push_back(std::move(entry));
  }
  return node;
}

yaml::Node convert(const toml::node& from) {
  yaml::Node node;
  if (const toml::table* table = from.as_table()) {
    node = convert_table(*table);
  } else if (const toml::array* array = from.as_array()) {
    node.kind = yaml::Kind::sequence;
    for (const toml::node& item : *array) node.items.push_back(convert(item));
  } else if (const auto* text = from.as_string()) {
    node = yaml::make_string(text->get());
  } else if (const auto* flag = from.as_boolean()) {
    node = yaml::make_bool(flag->get());
  } else if (const auto* number = from.as_integer()) {
    node = yaml::make_int(number->get());
  } else if (const auto* floating = from.as_floating_point()) {
    node = plain(fmt::format("{}", floating->get()));
  } else {
    std::ostringstream text;
    from.visit([&](const auto& value) {
      if constexpr (toml::is_value<decltype(value)>) text << value.get();
    });
    node = yaml::make_string(text.str());
  }
  node.at = position_of(from.source());
  return node;
}

}  // namespace

tl::expected<yaml::Document, yaml::SyntaxError> parse_toml(std::string_view text,
                                                           const std::string& file_name) {
  if (text.size() > kBytesMax) {
    return tl::unexpected(yaml::SyntaxError{
        file_name, {1, 1}, fmt::format("the text has more than {} bytes", kBytesMax)});
  }
  const toml::parse_result parsed = toml::parse(text, file_name);
  if (!parsed) {
    return tl::unexpected(yaml::SyntaxError{file_name, position_of(parsed.error().source()),
                                            std::string(parsed.error().description())});
  }
  yaml::Document document{file_name, convert_table(parsed.table())};
  document.root.at = {1, 1};
  return document;
}

}  // namespace ichor
