#include "secrets/sops_seal.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/words.h"
#include "secrets/age.h"
#include "secrets/sops_config.h"
#include "secrets/sops_file.h"

namespace ichor {

namespace {

/// Whom a new file is encrypted to, and what of it.
struct Plan {
  std::vector<std::string> recipients;
  sops::Rules rules;
  std::vector<std::string> outside;  // what only the sops program can do
};

/// The nearest .sops.yaml in this folder or above it; empty if there is none.
std::string find_config(LocalPorts& local) {
  std::string folder = local.files.absolute(".");
  while (folder.ends_with('.') || (folder.ends_with('/') && folder.size() > 1)) folder.pop_back();
  while (true) {
    const std::string path = (folder == "/" ? "" : folder) + "/.sops.yaml";
    if (local.files.has_file(path)) return path;
    const std::size_t slash = folder.rfind('/');
    if (folder.size() <= 1 || slash == std::string::npos) return {};
    folder.resize(std::max<std::size_t>(slash, 1));
  }
}

Result<std::optional<sops::CreationRule>> rule_for(const std::string& file, LocalPorts& local) {
  const std::string config = find_config(local);
  if (config.empty()) return std::optional<sops::CreationRule>();
  const auto text = local.files.read_input(config);
  if (!text) return forward_error(text);
  std::string path = local.files.absolute(file);
  const std::string folder = config.substr(0, config.rfind('/') + 1);
  if (path.starts_with(folder)) path.erase(0, folder.size());
  return sops::creation_rule(*text, config, path);
}

Result<Plan> make_plan(const SealOptions& request, LocalPorts& local) {
  Plan plan;
  plan.recipients = request.recipients;
  if (plan.recipients.empty()) {
    plan.recipients = split_list(local.environment.variable("SOPS_AGE_RECIPIENTS").value_or(""));
  }
  const auto rule = rule_for(request.file, local);
  // Who names the recipients need not be in the rules.
  if (!rule && plan.recipients.empty()) return forward_error(rule);
  const sops::Rules& wanted = request.rules;
  const bool chosen = !(wanted.encrypted_regex.empty() && wanted.unencrypted_regex.empty() &&
                        wanted.encrypted_suffix.empty() && wanted.unencrypted_suffix.empty());
  if (rule && *rule) {
    plan.rules = (*rule)->rules;
    if (plan.recipients.empty()) {
      plan.recipients = (*rule)->recipients;
      plan.outside = (*rule)->other_keys;
      if ((*rule)->split_key) plan.outside.emplace_back("groups of keys");
    }
  }
  if (chosen) {
    const bool only = plan.rules.mac_only_encrypted;
    plan.rules = {};
    plan.rules.encrypted_regex = wanted.encrypted_regex;
    plan.rules.unencrypted_regex = wanted.unencrypted_regex;
    plan.rules.encrypted_suffix = wanted.encrypted_suffix;
    plan.rules.unencrypted_suffix = wanted.unencrypted_suffix;
    plan.rules.mac_only_encrypted = only;
  }
  if (wanted.mac_only_encrypted) plan.rules.mac_only_encrypted = true;
  if (plan.recipients.empty() && plan.outside.empty()) {
    return fail(Errc::invalid,
                "no recipient to encrypt to: name one in SOPS_AGE_RECIPIENTS, or write a creation "
                "rule into .sops.yaml; `ichor secrets encrypt` also takes --age");
  }
  return plan;
}

Result<std::vector<age::Recipient>> parse_recipients(Plan& plan) {
  std::vector<age::Recipient> list;
  for (const std::string& text : plan.recipients) {
    auto recipient = age::Recipient::parse(text);
    if (!recipient) return forward_error(recipient);
    if (recipient->kind() == age::KeyKind::outside) plan.outside.push_back(text.substr(0, 8) + "…");
    list.push_back(*std::move(recipient));
  }
  return list;
}

/// Hands the work to the sops program, which reads .sops.yaml itself.
Result<SecretString> delegate(const SealOptions& request, const Plan& plan,
                              const sops::EncryptOptions& options, std::string_view text,
                              LocalPorts& local) {
  std::vector<std::string> words{"encrypt",
                                 "--input-type",
                                 std::string(sops::name_of(options.input)),
                                 "--output-type",
                                 std::string(sops::name_of(options.output)),
                                 "--filename-override",
                                 request.file};
  const auto add = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(flag);
    words.push_back(value);
  };
  add("--age", fmt::format("{}", fmt::join(request.recipients, ",")));
  add("--encrypted-regex", request.rules.encrypted_regex);
  add("--unencrypted-regex", request.rules.unencrypted_regex);
  add("--encrypted-suffix", request.rules.encrypted_suffix);
  add("--unencrypted-suffix", request.rules.unencrypted_suffix);
  if (request.rules.mac_only_encrypted) words.insert(words.begin(), "--mac-only-encrypted");
  auto asked = ask_sops(std::move(words), text, local);
  if (asked || asked.error().code != Errc::invalid) return asked;
  return fail(Errc::invalid,
              fmt::format("{}: only the sops program can encrypt to {}, and it is not installed",
                          request.file, fmt::join(plan.outside, ", ")));
}

}  // namespace

bool has_sops_name(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.find(".sops.") != std::string::npos || name.ends_with(".sops");
}

Result<SecretString> seal_text(const SealOptions& request, const SecretString& plain, WallTime now,
                               LocalPorts& local) {
  auto plan = make_plan(request, local);
  if (!plan) return forward_error(plan);
  auto recipients = parse_recipients(*plan);
  if (!recipients) return forward_error(recipients);
  if (request.output_type == "age") {
    if (!plan->outside.empty()) {
      return fail(Errc::invalid, fmt::format("{}: only the age program can encrypt to {}",
                                             request.file, fmt::join(plan->outside, ", ")));
    }
    return SecretString(age::encrypt(plain.reveal(), *recipients));
  }
  const auto input = format_wanted(request.input_type, request.file);
  if (!input) return forward_error(input);
  sops::EncryptOptions options;
  options.input = *input;
  options.output =
      request.output_type.empty() ? *input : *format_wanted(request.output_type, request.file);
  if (!plan->outside.empty()) return delegate(request, *plan, options, plain.reveal(), local);
  options.recipients = *std::move(recipients);
  options.rules = plan->rules;
  options.now = now;
  auto sealed = sops::encrypt(plain.reveal(), request.file, options);
  if (!sealed) return forward_error(sealed);
  return SecretString(*std::move(sealed));
}

Result<SecretString> seal_for_name(const std::string& path, const SecretString& plain, WallTime now,
                                   LocalPorts& local) {
  SealOptions request;
  request.file = path;
  auto sealed = seal_text(request, plain, now, local);
  if (sealed) return sealed;
  return fail(
      sealed.error().code,
      fmt::format("{} has the name of a SOPS file, and plain text is not written under such "
                  "a name: {}",
                  path, sealed.error().message));
}

}  // namespace ichor
