#include "secrets/sops_rules.h"

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

bool Selector::asks_comments() const {
  return kind_ == Kind::unencrypted_comment || kind_ == Kind::encrypted_comment;
}

bool Selector::names(std::string_view text) const {
  return pattern_ ? pattern_->is_in(text) : text.ends_with(suffix_);
}

bool Selector::encrypts(bool is_named) const {
  switch (kind_) {
    case Kind::unencrypted_suffix:
    case Kind::unencrypted_regex:
    case Kind::unencrypted_comment: return !is_named;
    case Kind::encrypted_suffix:
    case Kind::encrypted_regex:
    case Kind::encrypted_comment: return is_named;
  }
  return true;
}

bool Selector::mistakes(const std::string& sealed_comment) const {
  return kind_ == Kind::unencrypted_comment && pattern_->is_in(sealed_comment);
}

}  // namespace ichor::sops
