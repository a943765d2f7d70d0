#include "secrets/sops_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor::sops {

namespace {

constexpr const char* kDefaultSuffix = "_unencrypted";

}  // namespace

const std::vector<Rules::Named>& Rules::named() {
  // The order of Selector::Kind.
  static const std::vector<Named> list{
      {"unencrypted_suffix", &Rules::unencrypted_suffix},
      {"encrypted_suffix", &Rules::encrypted_suffix},
      {"unencrypted_regex", &Rules::unencrypted_regex},
      {"encrypted_regex", &Rules::encrypted_regex},
      {"unencrypted_comment_regex", &Rules::unencrypted_comment_regex},
      {"encrypted_comment_regex", &Rules::encrypted_comment_regex},
  };
  return list;
}

Result<Selector> Selector::make(Rules& rules) {
  Selector selector;
  selector.mac_only_encrypted_ = rules.mac_only_encrypted;
  const Rules::Named* given = nullptr;
  for (const Rules::Named& rule : Rules::named()) {
    if ((rules.*rule.text).empty()) continue;
    if (given) {
      return fail(Errc::invalid,
                  fmt::format("{} and {} cannot be used together", given->name, rule.name));
    }
    given = &rule;
  }
  if (!given) {
    rules.unencrypted_suffix = kDefaultSuffix;
    given = &Rules::named().front();
  }
  selector.kind_ = static_cast<Kind>(given - Rules::named().data());
  if (selector.kind_ == Kind::unencrypted_suffix || selector.kind_ == Kind::encrypted_suffix) {
    selector.suffix_ = rules.*given->text;
    return selector;
  }
  auto pattern = secrets::Pattern::compile(rules.*given->text);
  if (!pattern) {
    return fail(Errc::invalid, fmt::format("{}: {}", given->name, pattern.error().message));
  }
  selector.pattern_ = *std::move(pattern);
  return selector;
}

bool Selector::matches(const Path& path) const {
  return std::any_of(path.begin(), path.end(), [&](const std::string& key) {
    return pattern_ ? pattern_->is_in(key) : key.ends_with(suffix_);
  });
}

bool Selector::matches(const Comments& comments, bool but_the_last) const {
  for (std::size_t level = 0; level < comments.size(); ++level) {
    std::size_t count = comments[level].size();
    if (but_the_last && level + 1 == comments.size() && count > 0) --count;
    for (std::size_t i = 0; i < count; ++i) {
      if (pattern_->is_in(comments[level][i])) return true;
    }
  }
  return false;
}

bool Selector::encrypts(const Path& path, const Comments& comments, bool is_comment) const {
  switch (kind_) {
    case Kind::unencrypted_suffix:
    case Kind::unencrypted_regex: return !matches(path);
    case Kind::encrypted_suffix:
    case Kind::encrypted_regex: return matches(path);
    case Kind::unencrypted_comment: return !matches(comments, false);
    // The comment that asks for encryption stays readable.
    case Kind::encrypted_comment: return matches(comments, is_comment);
  }
  return true;
}

bool Selector::mistakes(const std::string& sealed_comment) const {
  return kind_ == Kind::unencrypted_comment && pattern_->is_in(sealed_comment);
}

}  // namespace ichor::sops
