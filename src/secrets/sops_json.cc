#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "base/check.h"
#include "secrets/sops_formats.h"
#include "yaml/go_scalar.h"

namespace ichor::sops {

namespace {

constexpr std::size_t kDepthMax = 64;
constexpr std::size_t kValuesMax = 100'000;
constexpr std::size_t kBytesMax = 8u << 20;

/// Builds the tree from the events of the JSON parser, which keep the order of keys.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(Value& root) : root_(root) {}

  bool null() override { return add(make_value(Type::null, {})); }
  bool boolean(bool flag) override {
    return add(make_value(Type::boolean, flag ? "True" : "False"));
  }
  bool number_integer(number_integer_t number) override {
    return add(make_value(Type::integer, std::to_string(number)));
  }
  bool number_unsigned(number_unsigned_t number) override {
    const std::string text = std::to_string(number);
    if (number <= INT64_MAX) return add(make_value(Type::integer, text));
    return add(make_value(Type::floating, yaml::go_float(text).value_or(text)));
  }
  bool number_float(number_float_t, const string_t& text) override {
    auto number = yaml::go_float(text);
    if (!number) return refuse("a number beyond the range of a double");
    return add(make_value(Type::floating, *std::move(number)));
  }
  bool string(string_t& text) override { return add(make_value(Type::string, std::move(text))); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool start_object(std::size_t) override { return open(Type::branch); }
  bool start_array(std::size_t) override { return open(Type::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      return refuse(fmt::format("the key \"{}\" appears twice", name));
    }
    open_.back()->items.push_back({name, {}});
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse(fmt::format("this is not JSON (at byte {})", position));
  }

  const std::string& error() const { return error_; }

 private:
  bool refuse(std::string what) {
    if (error_.empty()) error_ = std::move(what);
    return false;
  }

  Value* place(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Value& parent = *open_.back();
    if (parent.type == Type::list) {
      parent.list.push_back(std::move(value));
      return &parent.list.back();
    }
    parent.items.back().value = std::move(value);
    return &parent.items.back().value;
  }

  bool add(Value value) {
    if (++count_ > kValuesMax) return refuse(fmt::format("more than {} values", kValuesMax));
    if (open_.empty()) return refuse("sops takes only an object at the top of a JSON file");
    place(std::move(value));
    return true;
  }
  bool open(Type type) {
    if (++count_ > kValuesMax) return refuse(fmt::format("more than {} values", kValuesMax));
    if (open_.size() >= kDepthMax) {
      return refuse(fmt::format("nested more than {} levels deep", kDepthMax));
    }
    if (open_.empty() && type != Type::branch) {
      return refuse("sops takes only an object at the top of a JSON file");
    }
    open_.push_back(place(make_value(type, {})));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  Value& root_;
  std::vector<Value*> open_;  // a parent does not grow while its child is open
  std::vector<std::unordered_set<std::string>> keys_;  // of the open ones
  std::size_t count_{0};
  std::string error_;
};

/// Writes as Go's encoding/json does, with a tab for each level.
class Writer {
 public:
  void value(const Value& value, std::size_t depth) {
    switch (value.type) {
      case Type::null: out_ += "null"; return;
      case Type::boolean: out_ += value.text == "True" ? "true" : "false"; return;
      case Type::integer: out_ += value.text; return;
      case Type::floating: return number(value.text);
      case Type::string:
      case Type::time:
      case Type::comment: return string(value.text);
      case Type::branch: return branch(value, depth);
      case Type::list: return list(value, depth);
    }
  }

  Result<SecretString> take() {
    if (!error_.empty()) return fail(Errc::invalid, error_);
    return SecretString(std::move(out_) + "\n");
  }

 private:
  void line(std::size_t depth) { out_ += '\n' + std::string(depth, '\t'); }

  void number(const std::string& text) {
    const auto written = yaml::json_float(text);
    if (!written) error_ = "an infinite number or none, which JSON cannot hold";
    out_ += written.value_or("null");
  }

  void branch(const Value& value, std::size_t depth) {
    out_ += '{';
    bool empty = true;
    for (const Item& item : value.items) {
      if (item.value.is_comment()) continue;
      if (!empty) out_ += ',';
      empty = false;
      line(depth + 1);
      string(item.key);
      out_ += ": ";
      this->value(item.value, depth + 1);
    }
    if (!empty) line(depth);
    out_ += '}';
  }

  void list(const Value& value, std::size_t depth) {
    out_ += '[';
    bool empty = true;
    for (const Value& element : value.list) {
      if (element.is_comment()) continue;
      if (!empty) out_ += ',';
      empty = false;
      line(depth + 1);
      this->value(element, depth + 1);
    }
    if (!empty) line(depth);
    out_ += ']';
  }

  void string(const std::string& text) {
    if (!is_utf8(text)) error_ = "a value is no text but bytes, which JSON cannot hold";
    out_ += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const std::string_view rest = std::string_view(text).substr(i);
      switch (c) {
        case '"': out_ += "\\\""; break;
        case '\\': out_ += "\\\\"; break;
        case '\b': out_ += "\\b"; break;
        case '\f': out_ += "\\f"; break;
        case '\n': out_ += "\\n"; break;
        case '\r': out_ += "\\r"; break;
        case '\t': out_ += "\\t"; break;
        default:
          if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
            out_ += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
            i += 2;
          } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
            out_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
          } else {
            out_ += c;
          }
      }
    }
    out_ += '"';
  }

  std::string out_;
  std::string error_;
};

}  // namespace

Result<Tree> read_json(std::string_view text, const std::string& file) {
  if (text.size() > kBytesMax) {
    return fail(Errc::invalid, fmt::format("{}: larger than {} bytes", file, kBytesMax));
  }
  Tree tree;
  tree.documents.push_back(make_branch());
  Builder builder(tree.documents.front());
  if (!nlohmann::json::sax_parse(text, &builder)) {
    return fail(Errc::invalid, fmt::format("{}: {}", file, builder.error()));
  }
  return tree;
}

Result<SecretString> write_json(const Tree& tree) {
  if (tree.documents.size() != 1) {
    return fail(Errc::invalid, fmt::format("a file with {} documents cannot be written as JSON",
                                           tree.documents.size()));
  }
  Writer writer;
  writer.value(tree.documents.front(), 0);
  return writer.take();
}

}  // namespace ichor::sops
