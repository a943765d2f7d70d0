#include "secrets/sops.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <openssl/crypto.h>
#include <optional>

#include "base/check.h"
#include "secrets/age.h"
#include "secrets/cipher.h"
#include "secrets/random.h"
#include "secrets/shamir.h"
#include "secrets/sops_metadata.h"
#include "secrets/sops_value.h"
#include "yaml/document.h"

namespace ichor::sops {

namespace {

constexpr std::size_t kDataKeySize = 32;

/// Hashed first when only encrypted values count, so that the two kinds of MAC never agree: the
/// SHA-256 of "sops".
constexpr std::string_view kOnlyEncryptedStart{
    "\x8a\x3f\xd2\xad\x54\xce\x66\x52\x7b\x10\x34\xf3\xd1\x47\xbe\x0b\x0b\x97\x5b\x3b\xf4\x4f\x72"
    "\xc6\xfd\xad\xec\x81\x76\xf2\x7d\x69",
    32};

/// Keys from the root to a value.
using Path = std::vector<std::string>;

std::string show(const Path& path) {
  return path.empty() ? "the file" : fmt::format("{}", fmt::join(path, "."));
}

/// Goes through all leaves of a tree in order, tells which are encrypted in the file, and makes the
/// MAC. The subclass turns a leaf into what it becomes.
class Walk {
 public:
  Walk(const Selector& selector, const SecretString& data_key)
      : selector_(selector), data_key_(data_key) {
    if (selector.mac_only_encrypted()) mac_.add(kOnlyEncryptedStart);
  }
  virtual ~Walk() = default;

  Result<void> run(Tree& tree) {
    for (Value& document : tree.documents) {
      if (auto walked = branch(document); !walked) return walked;
    }
    return {};
  }
  SecretString mac() { return mac_.hex(); }

 protected:
  /// Changes an encrypted leaf into a plain one or the other way round, and adds the plain one to
  /// the MAC.
  virtual Result<void> turn(Value& leaf, const std::string& label) = 0;

  const Selector& selector() const { return selector_; }
  const SecretString& data_key() const { return data_key_; }
  const Path& path() const { return path_; }
  void add(const Value& plain) {
    if (!plain.is_comment()) mac_.add(plain.text);
  }

 private:
  /// How many of the comments that are in force at one level are named by the rule.
  struct Level {
    int named{0};
    bool last_is_named{false};
  };

  Result<void> branch(Value& value) {
    levels_.emplace_back();
    for (Item& item : value.items) {
      if (item.value.is_comment()) {
        if (auto walked = comment(item.value); !walked) return walked;
        continue;
      }
      if (auto entered = enter(item.key); !entered) return entered;
      const bool is_named = !selector_.asks_comments() && selector_.names(item.key);
      named_ += is_named ? 1 : 0;
      if (auto walked = any(item.value); !walked) return walked;
      named_ -= is_named ? 1 : 0;
      if (item.value.is_comment()) {
        return fail(Errc::invalid, show(path_) + ": a comment where a value belongs");
      }
      leave();
      clear_comments();
    }
    clear_comments();
    levels_.pop_back();
    return {};
  }

  Result<void> list(Value& value) {
    levels_.emplace_back();
    for (Value& element : value.list) {
      if (element.is_comment()) {
        if (auto walked = comment(element); !walked) return walked;
        continue;
      }
      if (auto walked = any(element); !walked) return walked;
      clear_comments();
    }
    clear_comments();
    levels_.pop_back();
    return {};
  }

  /// Every value is sealed with its path, so a long path costs for each of them.
  Result<void> enter(const std::string& key) {
    constexpr std::size_t path_max = 16'384;
    path_.push_back(key);
    label_.append(key) += ':';
    if (label_.size() <= path_max) return {};
    return fail(Errc::invalid,
                fmt::format("keys within one another of more than {} letters", path_max));
  }
  void leave() {
    label_.resize(label_.size() - path_.back().size() - 1);
    path_.pop_back();
  }

  Result<void> comment(Value& value) {
    Level& level = levels_.back();
    level.last_is_named = selector_.asks_comments() && selector_.names(value.text);
    if (level.last_is_named) {
      ++level.named;
      ++named_;
    }
    return leaf(value);
  }
  void clear_comments() {
    named_ -= levels_.back().named;
    levels_.back() = {};
  }

  Result<void> any(Value& value) {
    switch (value.type) {
      case Type::branch: return branch(value);
      case Type::list: return list(value);
      case Type::null: return {};
      default: return leaf(value);
    }
  }

  Result<void> leaf(Value& value) {
    int named = named_;
    if (value.is_comment() && selector_.spares_comment() && levels_.back().last_is_named) --named;
    if (selector_.encrypts(named > 0)) {
      // What stands beside no key is labelled with the colon alone.
      return turn(value, label_.empty() ? ":" : label_);
    }
    if (!selector_.mac_only_encrypted()) add(value);
    return {};
  }

  const Selector& selector_;
  const SecretString& data_key_;
  secrets::Sha512 mac_;
  Path path_;
  std::string label_;  // the path, each key followed by a colon
  std::vector<Level> levels_;
  int named_{0};  // keys of the path, or comments in force, that the rule names
};

class Opening final : public Walk {
 public:
  Opening(const Selector& selector, const SecretString& data_key, const std::string& file)
      : Walk(selector, data_key), file_(file) {}

 private:
  Result<void> turn(Value& leaf, const std::string& label) override {
    const bool is_comment = leaf.is_comment();
    // Older versions of sops left comments alone.
    if (is_comment && !is_sealed(leaf.text)) return {};
    if (!is_comment && leaf.type != Type::string) {
      return refuse(leaf, "this should be encrypted and is not");
    }
    auto opened = open_value(leaf.text, data_key(), label);
    if (!opened) {
      if (is_comment) return {};
      return refuse(leaf, opened.error().message);
    }
    if (is_comment && !opened->is_comment()) opened->type = Type::comment;
    opened->at = leaf.at;
    leaf = *std::move(opened);
    add(leaf);
    return {};
  }

  Result<void> refuse(const Value& leaf, std::string_view why) const {
    const std::string where = leaf.at.line > 0 ? yaml::to_text(file_, leaf.at) : file_;
    return fail(Errc::invalid, fmt::format("{}: {}: {}", where, show(path()), why));
  }

  const std::string& file_;
};

class Sealing final : public Walk {
 public:
  using Walk::Walk;

 private:
  Result<void> turn(Value& leaf, const std::string& label) override {
    const bool is_comment = leaf.is_comment();
    add(leaf);
    std::string sealed = seal_value(leaf, data_key(), label);
    if (is_comment && selector().mistakes(sealed)) {
      return fail(Errc::invalid,
                  "unencrypted_comment_regex matches an encrypted comment, so the file could not "
                  "be read back; choose a longer expression");
    }
    OPENSSL_cleanse(leaf.text.data(), leaf.text.size());
    leaf.text = std::move(sealed);
    // In a list, a comment becomes a value: only its type tells that it was none.
    if (!is_comment) leaf.type = Type::string;
    return {};
  }
};

/// In a list, sops writes an encrypted comment as a value.
void list_comments_become_values(Value& value) {
  for (Item& item : value.items) list_comments_become_values(item.value);
  for (Value& element : value.list) {
    if (element.is_comment() && is_sealed(element.text)) element.type = Type::string;
    list_comments_become_values(element);
  }
}

/// Of a data key that is split (Shamir): one part by each group of keys of which we have one.
Result<SecretString> join_data_key(const Metadata& metadata, const age::Identities& identities,
                                   bool* no_key) {
  std::map<std::size_t, SecretString> parts;
  for (const AgeEntry& entry : metadata.age) {
    if (parts.contains(entry.group)) continue;
    if (auto part = age::decrypt(entry.sealed, identities)) {
      parts.emplace(entry.group, *std::move(part));
    }
  }
  if (parts.size() < metadata.parts_needed) {
    *no_key = true;
    return fail(Errc::invalid,
                fmt::format("its data key is split over groups of keys (Shamir): keys of {} groups "
                            "are needed, and there are age keys of {} here",
                            metadata.parts_needed, parts.size()));
  }
  std::vector<SecretString> some;
  for (auto& [group, part] : parts) {
    if (some.size() < metadata.parts_needed) some.push_back(std::move(part));
  }
  auto key = join_parts(some);
  if (key && key->size() != kDataKeySize) {
    return fail(Errc::invalid, "its data key has another size");
  }
  return key;
}

Result<SecretString> find_data_key(const Metadata& metadata, const age::Identities& identities,
                                   bool* no_key) {
  std::optional<Error> last;
  if (metadata.split_key) return join_data_key(metadata, identities, no_key);
  for (const AgeEntry& entry : metadata.age) {
    auto key = age::decrypt(entry.sealed, identities);
    if (!key) {
      last = key.error();
      continue;
    }
    if (key->size() == kDataKeySize) return *std::move(key);
    last = Error{Errc::invalid, "its data key has another size"};
  }
  *no_key = true;
  if (last) return tl::unexpected(*last);
  return fail(Errc::invalid, "it is for no age key");
}

Result<void> check_mac(const Metadata& metadata, const SecretString& data_key,
                       const SecretString& computed, const std::string& file) {
  const auto stored = metadata.mac.empty()
                          ? Result<Value>(fail(Errc::invalid, "it has none"))
                          : open_value(metadata.mac, data_key, metadata.last_modified);
  if (!stored) {
    return fail(Errc::invalid,
                fmt::format("{}: its MAC cannot be read: {}", file, stored.error().message));
  }
  if (!(SecretString(stored->text) == computed)) {
    return fail(Errc::invalid,
                fmt::format("{}: its MAC does not fit: a value or key was changed, moved, added or "
                            "removed after it was encrypted",
                            file));
  }
  return {};
}

}  // namespace

bool looks_encrypted(std::string_view text, Format format) {
  // Most files are not, and need not be read for it.
  if (text.find("sops") == std::string_view::npos) return false;
  const auto tree = read_sealed(text, "", format);
  return tree && has_metadata(*tree, format);
}

std::string Readers::text() const {
  std::vector<std::string> all = recipients;
  all.insert(all.end(), other_keys.begin(), other_keys.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

Result<Readers> readers_of(std::string_view text, const std::string& file, Format format) {
  auto tree = read_sealed(text, file, format);
  if (!tree) return forward_error(tree);
  auto metadata = take_metadata(*tree, format, file);
  if (!metadata) return forward_error(metadata);
  Readers readers;
  readers.other_keys = metadata->other_keys;
  readers.split_key = metadata->split_key;
  for (const AgeEntry& entry : metadata->age) {
    const auto recipient = age::Recipient::parse(entry.recipient);
    if (recipient && recipient->kind() == age::KeyKind::outside) ++readers.outside;
    readers.recipients.push_back(entry.recipient);
  }
  return readers;
}

Result<SecretString> decrypt(std::string_view text, const std::string& file,
                             const DecryptOptions& options, const age::Identities& identities,
                             bool* no_key) {
  bool ignored = false;
  if (!no_key) no_key = &ignored;
  auto tree = read_sealed(text, file, options.input);
  if (!tree) return forward_error(tree);
  auto metadata = take_metadata(*tree, options.input, file);
  if (!metadata) return forward_error(metadata);
  const auto selector = Selector::make(metadata->rules);
  if (!selector) {
    return fail(Errc::invalid, fmt::format("{}: {}", file, selector.error().message));
  }
  const auto data_key = find_data_key(*metadata, identities, no_key);
  if (!data_key) {
    return fail(Errc::invalid, fmt::format("{}: {}", file, data_key.error().message));
  }
  Opening opening(*selector, *data_key, file);
  if (auto opened = opening.run(*tree); !opened) return forward_error(opened);
  if (auto fits = check_mac(*metadata, *data_key, opening.mac(), file); !fits) {
    return forward_error(fits);
  }
  auto plain = write_plain(*tree, options.output);
  if (!plain) return fail(Errc::invalid, fmt::format("{}: {}", file, plain.error().message));
  return plain;
}

Result<std::string> encrypt(std::string_view text, const std::string& file,
                            const EncryptOptions& options) {
  check(!options.recipients.empty(), "a file has at least one recipient");
  auto tree = read_plain(text, file, options.input);
  if (!tree) return forward_error(tree);
  if (tree->documents.empty()) return fail(Errc::invalid, fmt::format("{}: it is empty", file));
  if (has_metadata(*tree, options.output)) {
    return fail(Errc::invalid,
                fmt::format("{}: it has an entry \"sops\": it is encrypted already, or uses a name "
                            "that sops needs itself",
                            file));
  }
  Metadata metadata;
  // A binary file has one value, and it is always encrypted.
  if (options.input != Format::binary) metadata.rules = options.rules;
  metadata.last_modified = rfc3339(options.now);
  const auto selector = Selector::make(metadata.rules);
  if (!selector) return forward_error(selector);
  const SecretString data_key = pki::random_bytes(kDataKeySize);
  for (const age::Recipient& recipient : options.recipients) {
    metadata.age.push_back({recipient.text(), age::encrypt(data_key.reveal(), {recipient})});
  }
  Sealing sealing(*selector, data_key);
  if (auto sealed = sealing.run(*tree); !sealed) {
    return fail(Errc::invalid, fmt::format("{}: {}", file, sealed.error().message));
  }
  for (Value& document : tree->documents) list_comments_become_values(document);
  const SecretString mac = sealing.mac();
  metadata.mac = seal_value(make_value(Type::string, std::string(mac.reveal())), data_key,
                            metadata.last_modified);
  put_metadata(*tree, options.output, metadata);
  auto written = write_sealed(*tree, options.output);
  if (!written) return fail(Errc::invalid, fmt::format("{}: {}", file, written.error().message));
  return std::string(written->reveal());
}

}  // namespace ichor::sops
