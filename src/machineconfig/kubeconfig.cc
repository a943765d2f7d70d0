#include "machineconfig/kubeconfig.h"

#include <fmt/format.h>

#include "secrets/base64.h"
#include "secrets/issue.h"
#include "yaml/build.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

yaml::Node named(std::string_view kind, yaml::Map content, const std::string& name) {
  return yaml::map().set(kind, std::move(content)).set("name", name);
}

/// A tree that held secrets and is overwritten when it dies.
struct WipedTree {
  yaml::Node root;
  explicit WipedTree(yaml::Node node) : root(std::move(node)) {}
  WipedTree(const WipedTree&) = delete;
  WipedTree& operator=(const WipedTree&) = delete;
  ~WipedTree() { yaml::wipe(root); }
};

SecretString emit_kubeconfig(const KubeconfigTerms& terms, const pki::CertificateAndKey& client) {
  const std::string user = "admin@" + terms.cluster_name;
  yaml::Map cluster = yaml::map()
                          .set("server", terms.server)
                          .set("certificate-authority-data", pki::base64(terms.ca_pem));
  yaml::Map credentials = yaml::map()
                              .set("client-certificate-data", pki::base64(client.certificate))
                              .set("client-key-data", pki::base64(client.key.reveal()));
  yaml::Map context =
      yaml::map().set("cluster", terms.cluster_name).set("namespace", "default").set("user", user);
  const WipedTree tree(
      yaml::map()
          .set("apiVersion", "v1")
          .set("kind", "Config")
          .set("clusters", yaml::list({named("cluster", std::move(cluster), terms.cluster_name)}))
          .set("users", yaml::list({named("user", std::move(credentials), user)}))
          .set("contexts", yaml::list({named("context", std::move(context), user)}))
          .set("current-context", user));
  return SecretString(yaml::emit(tree.root));
}

tl::unexpected<Error> not_ours(std::string_view what) {
  return fail(Errc::unsafe, fmt::format("the kubeconfig is not this cluster's: {}", what));
}

/// The mapping below `key` of the only entry of a list.
const yaml::Node* only_entry(const yaml::Node& root, std::string_view list, std::string_view key) {
  const yaml::Node* items = root.find(list);
  if (!items || !items->is_sequence() || items->items.size() != 1) return nullptr;
  const yaml::Node* content = items->items.front().find(key);
  return content && content->is_mapping() ? content : nullptr;
}

std::string_view text_of(const yaml::Node& node, std::string_view key) {
  const yaml::Node* value = node.find(key);
  return value ? value->as_text().value_or(std::string_view{}) : std::string_view{};
}

std::string_view trimmed(std::string_view text, std::string_view what) {
  const std::size_t end = text.find_last_not_of(what);
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

/// The client's certificate and key, if they are there inline, belong together and are of the CA.
Result<pki::CertificateAndKey> read_client(const yaml::Node& user, const std::string& ca_pem) {
  for (const yaml::Entry& entry : user.entries) {
    const std::string& key = entry.key.text;
    if (key == "client-certificate-data" || key == "client-key-data") continue;
    return not_ours("its user has more than a client certificate and a key");
  }
  const auto certificate = pki::from_base64(text_of(user, "client-certificate-data"));
  auto key = pki::from_base64(text_of(user, "client-key-data"));
  if (!certificate || !key) return not_ours("its user has no client certificate with a key");
  pki::CertificateAndKey client{*certificate, SecretString(*std::move(key))};
  if (!pki::signed_by(client.certificate, ca_pem)) {
    return not_ours("another CA signed its client certificate");
  }
  const auto private_key = pki::PrivateKey::from_pem(client.key);
  if (!private_key) return not_ours("the key of its user is not a private key");
  return client;
}

}  // namespace

Result<SecretString> make_kubeconfig(const std::string& cluster_name, const std::string& server,
                                     const pki::CertificateAndKey& kubernetes_ca, WallTime now) {
  pki::LeafRequest request;
  request.common_name = "admin";
  request.organizations = {"system:masters"};
  request.client_auth = true;
  request.not_before = now;
  const auto client = pki::issue(kubernetes_ca, request, pki::KeyKind::ecdsa_p256);
  if (!client) return forward_error(client);
  return emit_kubeconfig({cluster_name, server, kubernetes_ca.certificate}, *client);
}

Result<SecretString> own_kubeconfig(const SecretString& returned, const KubeconfigTerms& terms) {
  auto document = yaml::parse_single(returned.reveal(), "kubeconfig");
  if (!document) return not_ours(document.error().message());
  const WipedTree tree(std::move(document->root));
  const yaml::Node* cluster = only_entry(tree.root, "clusters", "cluster");
  const yaml::Node* user = only_entry(tree.root, "users", "user");
  const yaml::Node* context = only_entry(tree.root, "contexts", "context");
  if (!cluster || !user || !context) {
    return not_ours("it does not have exactly one cluster, one user and one context");
  }
  if (trimmed(text_of(*cluster, "server"), "/") != trimmed(terms.server, "/")) {
    return not_ours(fmt::format("its server is not {}", terms.server));
  }
  const auto ca = pki::from_base64(text_of(*cluster, "certificate-authority-data"));
  constexpr std::string_view kSpace = " \t\r\n";
  if (!ca || trimmed(*ca, kSpace) != trimmed(terms.ca_pem, kSpace)) {
    return not_ours("its CA is not the Kubernetes CA of this cluster");
  }
  if (cluster->entries.size() != 2) return not_ours("its cluster has more than a server and a CA");
  const auto client = read_client(*user, terms.ca_pem);
  if (!client) return forward_error(client);
  return emit_kubeconfig(terms, *client);
}

}  // namespace ichor
