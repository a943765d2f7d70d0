#include "machineconfig/canonical.h"

#include <algorithm>

#include "secrets/digest.h"
#include "yaml/document.h"

namespace ichor {

namespace {

/// Lengths keep texts apart, so that no value can pass for structure.
void write_text(std::string& out, char type, std::string_view text) {
  out += type;
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

void write_scalar(std::string& out, const yaml::Node& node) {
  switch (node.scalar_type().value_or(yaml::ScalarType::string)) {
    case yaml::ScalarType::null: out += 'n'; return;
    case yaml::ScalarType::boolean: out += *node.as_bool() ? 't' : 'f'; return;
    case yaml::ScalarType::integer:
      if (const auto number = node.as_int()) return write_text(out, 'i', std::to_string(*number));
      return write_text(out, 'i', node.text);
    case yaml::ScalarType::floating: return write_text(out, 'd', node.text);
    case yaml::ScalarType::string: return write_text(out, 's', node.text);
  }
}

void write(std::string& out, const yaml::Node& node) {
  if (node.is_sequence()) {
    out += '[';
    for (const yaml::Node& item : node.items) write(out, item);
    out += ']';
  } else if (node.is_mapping()) {
    std::vector<const yaml::Entry*> entries;
    for (const yaml::Entry& entry : node.entries) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const yaml::Entry* a, const yaml::Entry* b) { return a->key.text < b->key.text; });
    out += '{';
    for (const yaml::Entry* entry : entries) {
      write_text(out, 'k', entry->key.text);
      write(out, entry->value);
    }
    out += '}';
  } else {
    write_scalar(out, node);
  }
}

}  // namespace

Digest canonical_digest(const std::vector<yaml::Node>& documents) {
  std::vector<SecretString> parts;
  for (const yaml::Node& document : documents) {
    if (document.is_null()) continue;
    std::string part;
    write(part, document);
    parts.emplace_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(),
            [](const SecretString& a, const SecretString& b) { return a.reveal() < b.reveal(); });
  std::string all;
  for (const SecretString& part : parts) write_text(all, 'D', part.reveal());
  const SecretString text(std::move(all));
  return pki::sha256(text.reveal());
}

Result<Digest> canonical_digest(std::string_view text) {
  auto documents = yaml::parse(text, "config");
  if (!documents) return forward_error(documents);
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *documents) roots.push_back(std::move(document.root));
  return canonical_digest(roots);
}

}  // namespace ichor
