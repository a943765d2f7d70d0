#include "machineconfig/typed_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/nearest_name.h"
#include "machineconfig/needed_release.h"
#include "machineconfig/rules.h"
#include "machineconfig/typed_value.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

using schema::Field;
using schema::Form;
using schema::Object;
using schema::Schema;
using schema::Shape;

bool is_leaf(const Field& field) {
  return field.shape != Shape::object && field.shape != Shape::free;
}

/// Whether Talos cannot tell the value from one that is not set.
bool is_unset(const Field& field, const yaml::Node& value) {
  if (field.form != Form::one || field.pointer) return false;
  if (field.shape == Shape::free) return value.entries.empty();
  return is_leaf(field) && is_zero(field, value);
}

class DocumentReader {
 public:
  DocumentReader(int minor, std::vector<ConfigProblem>& problems)
      : minor_(minor), problems_(problems) {}

  yaml::Node object(const Object& type, const yaml::Node& node, const std::string& path) {
    yaml::Node out = yaml::map();
    out.at = node.at;
    if (!node.is_mapping()) {
      refuse(node, fmt::format("{} must be a mapping, not {}", shown(path), describe(node)),
             "write `key: value` lines here");
      return out;
    }
    for (const yaml::Entry& entry : node.entries) {
      if (known(type, entry, path)) continue;
      std::vector<std::string_view> names;
      for (const Field& field : type.fields) {
        if (field.since_minor <= minor_) names.push_back(field.key);
      }
      refuse(entry.key, fmt::format("unknown key \"{}\" in {}", entry.key.text, shown(path)),
             name_hint(entry.key.text, names));
    }
    for (const Field& field : type.fields) {
      const yaml::Node* value = node.find(field.key);
      if (value == nullptr || value->is_null()) continue;
      auto read = whole(field, *value, path.empty() ? field.key : path + "." + field.key);
      if (!read || is_unset(field, *read)) continue;
      out.entries.push_back({yaml::make_string(field.key), std::move(*read)});
    }
    return out;
  }

 private:
  bool known(const Object& type, const yaml::Entry& entry, const std::string& path) {
    const Field* field = type.find(entry.key.text);
    if (field == nullptr) return false;
    if (field->since_minor <= minor_) return true;
    refuse(entry.key,
           fmt::format("\"{}\" in {} exists since Talos 1.{}", field->key, shown(path),
                       field->since_minor),
           fmt::format("remove it, or use it with a version from 1.{} on", field->since_minor));
    return true;
  }

  std::optional<yaml::Node> whole(const Field& field, const yaml::Node& node,
                                  const std::string& path) {
    if (field.form == Form::one) return one(field, node, path);
    yaml::Node out =
        field.form == Form::list ? yaml::list(std::vector<yaml::Node>{}) : yaml::map().done();
    out.at = node.at;
    if (node.kind != out.kind) {
      const char* what = field.form == Form::list ? "a list" : "a mapping";
      refuse(node, fmt::format("{} must be {}, not {}", path, what, describe(node)),
             fmt::format("write {} here", what));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (node.items[i].is_null()) {
        refuse_empty(field, node.items[i].at.line > 0 ? node.items[i] : node, path);
        continue;
      }
      auto item = one(field, node.items[i], fmt::format("{}[{}]", path, i));
      if (item) out.items.push_back(std::move(*item));
    }
    for (const yaml::Entry& entry : node.entries) {
      // Of a key without a value a mapping of texts makes an empty text, one of objects nothing.
      const bool empty = entry.value.is_null();
      if (empty) refuse_empty(field, entry.key, path);
      auto value = empty ? std::optional(is_leaf(field) ? zero_of(field) : yaml::make_null())
                         : one(field, entry.value, path + "." + entry.key.text);
      if (value) out.entries.push_back({yaml::make_string(entry.key.text), std::move(*value)});
    }
    return out;
  }

  std::optional<yaml::Node> one(const Field& field, const yaml::Node& node,
                                const std::string& path) {
    if (field.shape == Shape::object) return object(*field.object, node, path);
    if (field.shape == Shape::free) {
      if (node.is_mapping()) return normal_free(node);
      refuse(node, fmt::format("{} must be a mapping, not {}", path, describe(node)),
             "write `key: value` lines here");
      return std::nullopt;
    }
    // Lists of arguments and sizes below zero came with Talos 1.13.
    const bool is_list = field.shape == Shape::argument && node.is_sequence();
    const bool is_negative = (field.shape == Shape::byte_size || field.shape == Shape::size) &&
                             node.text.starts_with('-');
    const bool too_early = (is_list || is_negative) && minor_ < 13;
    auto value = read_typed(field, node, minor_);
    if (value && !too_early) {
      // Manifests lose the empty lines above them.
      if (path.starts_with("cluster.inlineManifests[") && field.key == "contents") {
        const std::size_t from = value->text.find_first_not_of("\t\n\v\f\r");
        value->text.erase(0, std::min(from, value->text.size()));
      }
      return std::move(*value);
    }
    const std::string what = !value ? value.error() : is_list ? "a text" : "a size such as 10GiB";
    refuse(node, fmt::format("{} must be {}, not {}", path, what, described(field, node)),
           fmt::format("write {} here", what));
    return std::nullopt;
  }

  void refuse_empty(const Field& field, const yaml::Node& at, const std::string& path) {
    if (!field.no_empty_items || !rules_of(minor_).refuses_empty_items) return;
    refuse(at, fmt::format("an item of {} is empty", path), "remove it or fill it");
  }

  /// A value that is wrong, with its text if that may be shown.
  static std::string described(const Field& field, const yaml::Node& node) {
    constexpr std::size_t length_max = 60;
    const auto text = node.as_text();
    const bool printable =
        text && text->size() <= length_max &&
        std::all_of(text->begin(), text->end(), [](char c) { return c >= 0x20 && c < 0x7f; });
    if (!printable || field.secret || field.identity || field.shape == Shape::base64) {
      return std::string(describe(node));
    }
    return fmt::format("{} (`{}`)", describe(node), *text);
  }

  static std::string_view shown(const std::string& path) {
    return path.empty() ? std::string_view("the document") : std::string_view(path);
  }

  void refuse(const yaml::Node& at, std::string what, std::string fix) {
    problems_.push_back({at.at, std::move(what), std::move(fix)});
  }

  int minor_;
  std::vector<ConfigProblem>& problems_;
};

/// Finds out what a document is. The v1alpha1 document has no kind; one of four keys tells it.
tl::expected<const schema::DocumentKind*, ConfigProblem> kind_of(const yaml::Node& root,
                                                                 int minor) {
  const auto text_of = [&](std::string_view key) {
    const yaml::Node* node = root.find(key);
    return node != nullptr && node->is_scalar() ? node->text : std::string();
  };
  const std::string kind = text_of("kind");
  std::string version = text_of("apiVersion");
  for (const std::string_view key : {"machine", "cluster", "debug", "persist"}) {
    if (root.find(key) != nullptr) version = "v1alpha1";
  }
  const auto refuse = [&](std::string what, std::string fix) {
    return tl::unexpected(ConfigProblem{root.at, std::move(what), std::move(fix)});
  };
  if (kind.empty() && version == "v1alpha1") return nullptr;
  if (kind.empty()) {
    return refuse("the document has neither `kind` nor `machine` nor `cluster`",
                  "start it with `machine:` or `cluster:`, or give `apiVersion` and `kind`");
  }
  if (version.empty()) {
    return refuse(fmt::format("the {} document has no apiVersion", kind),
                  "add `apiVersion: v1alpha1`");
  }
  const schema::DocumentKind* found = Schema::get().find(kind);
  const yaml::Node* at = root.find("kind");
  if (found != nullptr && version == "v1alpha1" && found->since_minor <= minor) return found;
  ConfigProblem problem{at != nullptr ? at->at : root.at, "", ""};
  if (found != nullptr && version != "v1alpha1") {
    problem.what = fmt::format("apiVersion \"{}\" of {} is not known", version, kind);
    problem.fix = "write `apiVersion: v1alpha1`";
  } else if (found != nullptr) {
    problem.what = fmt::format("{} exists since Talos 1.{}", kind, found->since_minor);
    problem.fix =
        fmt::format("remove it, or use it with a version from 1.{} on", found->since_minor);
  } else {
    std::vector<std::string_view> names;
    for (const schema::DocumentKind& document : Schema::get().documents()) {
      if (document.since_minor <= minor) names.push_back(document.kind);
    }
    problem.what = fmt::format("unknown kind \"{}\"", kind);
    problem.fix = name_hint(kind, names);
  }
  return tl::unexpected(std::move(problem));
}

/// Writes values as one minor version of Talos does.
class Writer {
 public:
  explicit Writer(int minor) : minor_(minor) {}

  yaml::Node object(const Object& type, const yaml::Node& value) const {
    yaml::Node out = yaml::map();
    out.entries.reserve(value.entries.size());
    for (const Field& field : type.fields) {
      const yaml::Node* part = value.find(field.key);
      if (part == nullptr) {
        if (is_kept(field)) out.entries.push_back({yaml::make_string(field.key), nothing(field)});
      } else if (!is_left_out(field, *part)) {
        out.entries.push_back({yaml::make_string(field.key), whole(field, *part)});
      }
    }
    return out;
  }

 private:
  bool is_kept(const Field& field) const { return field.keep.holds(minor_); }

  /// Whether the encoder leaves the value out: all of it is not set.
  bool is_empty(const Object& type, const yaml::Node& value) const {
    // Its own rule: without a provider and keys there is no encryption, whatever else is said.
    if (type.name == "EncryptionSpec") {
      const yaml::Node* keys = value.find("keys");
      return value.find("provider") == nullptr && (keys == nullptr || keys->items.empty());
    }
    return std::all_of(type.fields.begin(), type.fields.end(), [&](const Field& field) {
      const yaml::Node* part = value.find(field.key);
      if (part == nullptr) return true;
      if (field.pointer || field.shown_empty.holds(minor_)) return false;
      if (field.form != Form::one || field.shape == Shape::free) {
        return part->items.empty() && part->entries.empty();
      }
      return field.shape == Shape::object ? is_empty(*field.object, *part) : is_zero(field, *part);
    });
  }

  yaml::Node one(const Field& field, const yaml::Node& value) const {
    if (value.is_null()) return value;
    if (field.shape == Shape::argument && value.is_scalar() && value.text.empty()) {
      return rules_of(minor_).lists_arguments ? yaml::make_null() : value;
    }
    return field.shape == Shape::object ? object(*field.object, value) : value;
  }

  yaml::Node whole(const Field& field, const yaml::Node& value) const {
    if (field.form == Form::one) return one(field, value);
    yaml::Node out;
    out.kind = value.kind;
    out.items.reserve(value.items.size());
    out.entries.reserve(value.entries.size());
    for (const yaml::Node& item : value.items) out.items.push_back(one(field, item));
    for (const yaml::Entry& entry : value.entries) {
      out.entries.push_back({entry.key, one(field, entry.value)});
    }
    std::sort(out.entries.begin(), out.entries.end(),
              [](const yaml::Entry& a, const yaml::Entry& b) { return a.key.text < b.key.text; });
    return out;
  }

  yaml::Node nothing(const Field& field) const {
    if (field.pointer) return yaml::make_null();
    if (field.form == Form::list) return yaml::list(std::vector<yaml::Node>{});
    if (field.form == Form::map || field.shape == Shape::free) return yaml::map();
    if (field.shape == Shape::object) return object(*field.object, yaml::map());
    return zero_of(field);
  }

  bool is_left_out(const Field& field, const yaml::Node& value) const {
    if (is_kept(field) || field.pointer) return false;
    if (field.form != Form::one || field.shape == Shape::free) {
      return value.items.empty() && value.entries.empty() && !field.shown_empty.holds(minor_);
    }
    return field.shape == Shape::object ? is_empty(*field.object, value) : is_zero(field, value);
  }

  int minor_;
};

/// Its own name, and that of the other end of a pair of links.
std::vector<std::string> claimed_names(const ConfigDocument& document) {
  std::vector<std::string> names = {document.name};
  if (document.object().find("peer") == nullptr) return names;
  const yaml::Node* peer = document.value.find("peer");
  const yaml::Node* name = peer != nullptr ? peer->find("name") : nullptr;
  names.push_back(name != nullptr ? name->text : "");
  return names;
}

}  // namespace

const schema::Object& ConfigDocument::object() const {
  return kind != nullptr ? kind->object : Schema::get().config();
}

std::string ConfigDocument::id() const {
  if (kind == nullptr) return "v1alpha1";
  return kind->named ? kind->kind + " " + name : kind->kind;
}

std::string to_text(const std::vector<ConfigProblem>& problems, const std::string& file) {
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : problems) {
    lines.push_back(
        fmt::format("{}: {}; {}", yaml::to_text(file, problem.at), problem.what, problem.fix));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::optional<ConfigDocument> read_document(const yaml::Node& root, int minor,
                                            std::vector<ConfigProblem>& problems) {
  if (!root.is_mapping()) {
    problems.push_back({root.at,
                        fmt::format("a document must be a mapping, not {}", describe(root)),
                        "write `key: value` lines here"});
    return std::nullopt;
  }
  const auto kind = kind_of(root, minor);
  if (!kind) {
    problems.push_back(kind.error());
    return std::nullopt;
  }
  const std::size_t before = problems.size();
  ConfigDocument document;
  document.kind = *kind;
  document.value = DocumentReader(minor, problems).object(document.object(), root, "");
  if (problems.size() != before) return std::nullopt;
  const yaml::Node* name = document.value.find("name");
  if (document.kind != nullptr && document.kind->named && name != nullptr) {
    document.name = name->text;
  }
  return document;
}

void find_conflicts(const ConfigDocuments& documents, std::vector<ConfigProblem>& problems) {
  std::map<std::string, const ConfigDocument*> ids;
  std::map<std::pair<std::string, std::string>, const ConfigDocument*> claims;
  for (const ConfigDocument& document : documents) {
    if (!ids.emplace(document.id(), &document).second) {
      problems.push_back({document.value.at, fmt::format("{} appears twice", document.id()),
                          "merge the two documents"});
      continue;
    }
    if (document.kind == nullptr || document.kind->claims.empty()) continue;
    for (const std::string& name : claimed_names(document)) {
      const auto [other, fresh] = claims.emplace(std::pair(document.kind->claims, name), &document);
      if (fresh) continue;
      problems.push_back(
          {document.value.at,
           fmt::format("{} conflicts with {}: both describe the {} `{}`", document.id(),
                       other->second->id(), document.kind->claims, name),
           "keep one of them"});
    }
  }
}

int minor_shown(const std::vector<yaml::Node>& roots) {
  return std::max(Schema::kUsualMinor, needed_release(roots).minor);
}

int minor_shown(std::string_view text) {
  return std::max(Schema::kUsualMinor, needed_release(text).minor);
}

Result<ConfigDocuments> read_config(std::string_view text, const std::string& file,
                                    std::optional<int> minor) {
  auto parsed = yaml::parse(text, file);
  if (!parsed) return forward_error(parsed);
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *parsed) roots.push_back(std::move(document.root));
  const int rules = minor.value_or(minor_shown(roots));
  ConfigDocuments documents;
  std::vector<ConfigProblem> problems;
  for (yaml::Node& root : roots) {
    if (!root.is_null()) {
      auto read = read_document(root, rules, problems);
      if (read) documents.push_back(std::move(*read));
    }
    yaml::wipe(root);
  }
  find_conflicts(documents, problems);
  if (!problems.empty()) {
    wipe(documents);
    return fail(Errc::invalid, to_text(problems, file));
  }
  if (documents.empty()) return fail(Errc::invalid, file + ": there is no machine config in it");
  return documents;
}

std::vector<yaml::Node> write_config(const ConfigDocuments& documents, int minor) {
  std::vector<yaml::Node> roots;
  for (const ConfigDocument& document : documents) {
    yaml::Node root = Writer(minor).object(document.object(), document.value);
    roots.insert(document.kind == nullptr ? roots.begin() : roots.end(), std::move(root));
  }
  return roots;
}

void wipe(ConfigDocuments& documents) {
  for (ConfigDocument& document : documents) yaml::wipe(document.value);
}

}  // namespace ichor
