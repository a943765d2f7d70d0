#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "secrets/sops_formats.h"

namespace ichor::sops {

namespace {

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

std::string text_of(const Value& value) {
  switch (value.type) {
    case Type::boolean: return value.text == "True" ? "true" : "false";
    case Type::null: return "<nil>";
    default: return value.text;
  }
}

}  // namespace

Result<Tree> read_dotenv(std::string_view text, const std::string& file) {
  Tree tree;
  tree.documents.push_back(make_branch());
  Value& branch = tree.documents.front();
  std::set<std::string, std::less<>> seen;
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.empty()) continue;
    if (line.starts_with('#')) {
      branch.items.push_back({{}, make_value(Type::comment, std::string(line.substr(1)))});
      continue;
    }
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) {
      return fail(Errc::invalid, fmt::format("{}:{}:1: a line without =", file, number));
    }
    std::string key(line.substr(0, sign));
    if (!seen.insert(key).second) {
      return fail(Errc::invalid,
                  fmt::format("{}:{}:1: the key \"{}\" appears twice", file, number, key));
    }
    branch.items.push_back(
        {std::move(key),
         make_value(Type::string, replace_all(line.substr(sign + 1), "\\n", "\n"))});
    branch.items.back().value.at = {number, static_cast<int>(sign) + 2};
  }
  return tree;
}

Result<SecretString> write_dotenv(const Tree& tree) {
  std::string out;
  if (tree.documents.size() != 1) {
    return fail(Errc::invalid, fmt::format("a file with {} documents cannot be written as dotenv",
                                           tree.documents.size()));
  }
  for (const Item& item : tree.documents.front().items) {
    if (item.value.is_comment()) {
      out += '#' + item.value.text + '\n';
      continue;
    }
    if (!item.value.is_leaf()) {
      return fail(
          Errc::invalid,
          fmt::format("{} has values of its own, which a dotenv file cannot hold", item.key));
    }
    out += item.key + '=' + replace_all(text_of(item.value), "\n", "\\n") + '\n';
  }
  return SecretString(std::move(out));
}

}  // namespace ichor::sops
