#include "machineconfig/cel/library.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "machineconfig/schema.h"

namespace ichor::cel {

namespace {

using Kind = Type::Kind;

// `var name type`, `fn name type… -> result`, `method name receiver type… -> result`, and
// `object short full.name` with its fields below it. `since=1.13` ends a line that older versions
// do not have, `until=1.12` one that newer versions do not have.
constexpr std::string_view kStandard =
#include "machineconfig/cel/standard.inc"
    ;
constexpr std::string_view kObjects =
#include "machineconfig/cel/objects.inc"
    ;
constexpr std::string_view kPlaces =
#include "machineconfig/cel/places.inc"
    ;

constexpr std::pair<std::string_view, Kind> kTypes[] = {{"bool", Kind::boolean},
                                                        {"int", Kind::integer},
                                                        {"uint", Kind::unsigned_integer},
                                                        {"double", Kind::floating},
                                                        {"string", Kind::text},
                                                        {"bytes", Kind::bytes},
                                                        {"timestamp", Kind::timestamp},
                                                        {"duration", Kind::duration},
                                                        {"null", Kind::null},
                                                        {"dyn", Kind::dyn}};

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

class Reader {
 public:
  Reader(int minor, Library& library) : minor_(minor), library_(library) {}

  void read(std::string_view table) {
    while (!table.empty()) {
      const std::size_t end = std::min(table.find('\n'), table.size());
      std::string_view line = table.substr(0, end);
      table.remove_prefix(std::min(end + 1, table.size()));
      if (const auto since = bound(line, " since=1."); since && *since > minor_) continue;
      if (const auto until = bound(line, " until=1."); until && *until < minor_) continue;
      if (!line.empty()) read_line(line);
    }
  }

 private:
  /// Takes a version from the end of the line.
  static std::optional<int> bound(std::string_view& line, std::string_view word) {
    const std::size_t from = line.find(word);
    if (from == std::string_view::npos) return std::nullopt;
    int minor = 0;
    const std::string_view digits = line.substr(from + word.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), minor);
    line = line.substr(0, from);
    return minor;
  }

  void read_line(std::string_view line) {
    if (line.starts_with(' ')) {
      const std::string_view field = next_word(line);
      library_.objects[open_][std::string(field)] = type(next_word(line));
      return;
    }
    const std::string_view what = next_word(line);
    const std::string name(next_word(line));
    if (what == "object") {
      open_ = next_word(line);
      full_names_[name] = open_;
      library_.objects[open_];
      const Type object{Kind::object, open_, {}};
      library_.variables[open_] = Type{Kind::type, {}, {object}};
    } else if (what == "var") {
      library_.variables[name] = type(next_word(line));
    } else {
      check(what == "fn" || what == "method", what);
      Signature signature{name, what == "method", {}, {}};
      for (std::string_view word = next_word(line); word != "->"; word = next_word(line)) {
        signature.arguments.push_back(type(word));
      }
      signature.result = type(next_word(line));
      library_.functions[name].push_back(std::move(signature));
    }
  }

  Type type(std::string_view text) const {
    std::string_view rest = text;
    Type read = part(rest);
    check(rest.empty(), text);
    return read;
  }

  Type part(std::string_view& text) const {
    const std::string_view word = text.substr(0, text.find_first_of("(),"));
    text.remove_prefix(word.size());
    for (const auto& [name, kind] : kTypes) {
      if (name == word) return make_type(kind);
    }
    if (!text.starts_with('(')) {
      if (word.size() == 1) return {Kind::variable, std::string(word), {}};
      const auto object = full_names_.find(word);
      check(object != full_names_.end(), word);
      return {Kind::object, object->second, {}};
    }
    Type made = make_type(word == "list"       ? Kind::list
                          : word == "map"      ? Kind::map
                          : word == "optional" ? Kind::optional
                                               : Kind::type);
    do {
      text.remove_prefix(1);
      made.parts.push_back(part(text));
    } while (text.starts_with(','));
    check(text.starts_with(')'), "a type ends with a parenthesis");
    text.remove_prefix(1);
    return made;
  }

  int minor_;
  Library& library_;
  std::string open_;
  std::map<std::string, std::string, std::less<>> full_names_;
};

/// The part of the table of places under `name:`.
std::string_view section(std::string_view name) {
  const std::string head = "\n" + std::string(name) + ":\n";
  const std::size_t from = kPlaces.find(head);
  check(from != std::string_view::npos, name);
  const std::string_view rest = kPlaces.substr(from + head.size());
  return rest.substr(0, rest.find("\n\n"));
}

Library make_library(Place place, int minor) {
  Library library;
  library.escaped_names = minor >= 13;
  Reader reader(minor, library);
  reader.read(kStandard);
  reader.read(kObjects);
  switch (place) {
    case Place::disk_selector:
      reader.read(section("units"));
      reader.read(section("disk"));
      break;
    case Place::volume_selector:
      reader.read(section("units"));
      reader.read(section("volume"));
      break;
    case Place::member_selector:
      reader.read(section("units"));
      reader.read(section("member"));
      break;
    case Place::link_selector: reader.read(section("link")); break;
    case Place::oom_trigger:
    case Place::oom_ranking:
      library.optionals = true;
      reader.read(section("units"));
      reader.read(section("classes"));
      reader.read(section("optionals"));
      reader.read(section(place == Place::oom_trigger ? "trigger" : "ranking"));
      break;
  }
  return library;
}

}  // namespace

const Library& library_of(Place place, int minor) {
  using schema::Schema;
  constexpr int places = static_cast<int>(Place::oom_ranking) + 1;
  static const std::vector<Library> libraries = [] {
    std::vector<Library> made;
    for (int known = Schema::kOldestMinor; known <= Schema::kNewestMinor; ++known) {
      for (int i = 0; i < places; ++i) made.push_back(make_library(static_cast<Place>(i), known));
    }
    return made;
  }();
  const int version = std::clamp(minor, Schema::kOldestMinor, Schema::kNewestMinor);
  const int at = (version - Schema::kOldestMinor) * places + static_cast<int>(place);
  return libraries[static_cast<std::size_t>(at)];
}

}  // namespace ichor::cel
