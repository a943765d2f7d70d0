#include "secrets/talosconfig.h"

#include <fmt/format.h>
#include <optional>

#include "secrets/base64.h"
#include "secrets/issue.h"
#include "yaml/build.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor::pki {

namespace {

class TalosconfigReader {
 public:
  explicit TalosconfigReader(yaml::Document document) : document_(std::move(document)) {}

  Result<Talosconfig> run() {
    Talosconfig config;
    const yaml::Node& root = document_.root;
    if (const yaml::Node* current = root.find("context")) {
      config.current = std::string(current->as_text().value_or(""));
    }
    const yaml::Node* contexts = root.find("contexts");
    if (contexts == nullptr || !contexts->is_mapping()) {
      refuse(contexts != nullptr ? *contexts : root, "\"contexts\" must be a mapping");
    } else {
      for (const yaml::Entry& entry : contexts->entries) config.contexts.push_back(context(entry));
    }
    yaml::wipe(document_.root);
    if (error_) return tl::unexpected(*error_);
    return config;
  }

 private:
  void refuse(const yaml::Node& at, std::string what, FaultId fault = {}) {
    if (error_) return;
    error_ = Error{Errc::invalid, document_.where(at) + ": " + std::move(what), fault};
  }

  std::vector<std::string> texts(const yaml::Node& parent, std::string_view key) {
    std::vector<std::string> all;
    const yaml::Node* list = parent.find(key);
    if (list == nullptr || list->is_null()) return all;
    if (!list->is_sequence()) refuse(*list, fmt::format("\"{}\" must be a list", key));
    for (const yaml::Node& item : list->items) {
      const auto text = item.as_text();
      if (!text) refuse(item, fmt::format("\"{}\" must be a list of addresses", key));
      all.emplace_back(text.value_or(""));
    }
    return all;
  }

  std::string decoded(const yaml::Node& parent, std::string_view key) {
    const yaml::Node* node = parent.find(key);
    if (node == nullptr || node->is_null()) return {};
    auto bytes = from_base64(node->as_text().value_or("?"));
    if (!bytes) refuse(*node, fmt::format("\"{}\" is not base64", key));
    return bytes.value_or("");
  }

  TalosContext context(const yaml::Entry& entry) {
    TalosContext context;
    context.name = entry.key.text;
    if (!entry.value.is_mapping()) {
      refuse(entry.value, fmt::format("the context \"{}\" must be a mapping", context.name));
      return context;
    }
    context.endpoints = texts(entry.value, "endpoints");
    context.nodes = texts(entry.value, "nodes");
    context.ca = decoded(entry.value, "ca");
    context.client = {decoded(entry.value, "crt"), SecretString(decoded(entry.value, "key"))};
    if (context.client.certificate.empty() && context.client.key.empty()) return context;
    const auto key = PrivateKey::from_pem(context.client.key);
    if (!key || !matches(context.client.certificate, *key)) {
      refuse(entry.key,
             fmt::format("the key of the context \"{}\" does not belong to its certificate",
                         context.name),
             "T8");
    }
    return context;
  }

  yaml::Document document_;
  std::optional<Error> error_;
};

}  // namespace

const TalosContext* Talosconfig::find(std::string_view name) const {
  for (const TalosContext& context : contexts) {
    if (context.name == name) return &context;
  }
  return nullptr;
}

Result<Talosconfig> read_talosconfig(std::string_view text, const std::string& file_name) {
  auto document = yaml::parse_single(text, file_name);
  if (!document) return fail(Errc::invalid, document.error().message());
  return TalosconfigReader(std::move(*document)).run();
}

SecretString write_talosconfig(const Talosconfig& config) {
  yaml::Map contexts;
  for (const TalosContext& context : config.contexts) {
    yaml::Map entry;
    entry.set("endpoints", yaml::list(context.endpoints));
    if (!context.nodes.empty()) entry.set("nodes", yaml::list(context.nodes));
    if (!context.ca.empty()) entry.set("ca", base64(context.ca));
    if (!context.client.certificate.empty()) entry.set("crt", base64(context.client.certificate));
    if (!context.client.key.empty()) entry.set("key", base64(context.client.key.reveal()));
    contexts.set(context.name, std::move(entry));
  }
  yaml::Node root = yaml::map().set("context", config.current).set("contexts", std::move(contexts));
  SecretString text(yaml::emit(root));
  yaml::wipe(root);
  return text;
}

Result<Talosconfig> make_talosconfig(const std::string& cluster_name,
                                     const CertificateAndKey& os_ca,
                                     std::vector<std::string> endpoints,
                                     std::vector<std::string> nodes, WallTime now,
                                     const std::vector<std::string>& roles, Duration lifetime) {
  auto client = issue_talos_client(os_ca, roles, now, lifetime);
  if (!client) return forward_error(client);
  TalosContext context{cluster_name, std::move(endpoints), std::move(nodes), os_ca.certificate,
                       std::move(*client)};
  return Talosconfig{cluster_name, {std::move(context)}};
}

}  // namespace ichor::pki
