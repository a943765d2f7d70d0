#include "secrets/sops_formats.h"

#include <cstdint>
#include <fmt/format.h>

namespace ichor::sops {

namespace {

constexpr const char* kBinaryKey = "data";

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::yaml: return "yaml";
    case Format::json: return "json";
    case Format::dotenv: return "dotenv";
    case Format::binary: return "binary";
  }
  return "?";
}

Result<Format> format_of(const std::string& file) {
  if (file.ends_with(".yaml") || file.ends_with(".yml")) return Format::yaml;
  if (file.ends_with(".json")) return Format::json;
  if (file.ends_with(".env")) return Format::dotenv;
  if (file.ends_with(".ini")) {
    return fail(Errc::invalid,
                fmt::format("{}: INI files are not supported; use the sops program for it", file));
  }
  return Format::binary;
}

Result<Tree> read_plain(std::string_view text, const std::string& file, Format format) {
  if (format != Format::binary) return read_sealed(text, file, format);
  Tree tree;
  tree.documents.push_back(make_branch());
  tree.documents.front().items.push_back({kBinaryKey, make_value(Type::string, std::string(text))});
  return tree;
}

Result<SecretString> write_plain(const Tree& tree, Format format) {
  if (format != Format::binary) return write_sealed(tree, format);
  const Value* data =
      tree.documents.size() == 1 ? find(tree.documents.front(), kBinaryKey) : nullptr;
  if (!data || data->type != Type::string) {
    return fail(Errc::invalid,
                "this is not an encrypted binary file; say --output-type yaml or json");
  }
  return SecretString(data->text);
}

Result<Tree> read_sealed(std::string_view text, const std::string& file, Format format) {
  switch (format) {
    case Format::yaml: return read_yaml(text, file);
    case Format::dotenv: return read_dotenv(text, file);
    case Format::json:
    case Format::binary: break;
  }
  return read_json(text, file);
}

Result<SecretString> write_sealed(const Tree& tree, Format format) {
  switch (format) {
    case Format::yaml: return write_yaml(tree);
    case Format::dotenv: return write_dotenv(tree);
    case Format::json:
    case Format::binary: break;
  }
  return write_json(tree);
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
      return i + at < text.size() ? static_cast<std::uint8_t>(text[i + at]) : 0;
    };
    const std::uint32_t first = byte(0);
    const std::size_t length = first < 0x80           ? 1
                               : (first >> 5) == 0x6  ? 2
                               : (first >> 4) == 0xe  ? 3
                               : (first >> 3) == 0x1e ? 4
                                                      : 0;
    if (length == 0) return false;
    std::uint32_t point = length == 1 ? first : first & (0xffu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xc0) != 0x80) return false;
      point = point << 6 | (byte(k) & 0x3f);
    }
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < smallest[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace ichor::sops
