#include "kube/kubeconfig.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "secrets/base64.h"
#include "yaml/document.h"

namespace ichor {

namespace {

/// A tree that held secrets and is overwritten when it dies.
class WipedTree {
 public:
  explicit WipedTree(yaml::Node root) : root_(std::move(root)) {}
  WipedTree(const WipedTree&) = delete;
  WipedTree& operator=(const WipedTree&) = delete;
  ~WipedTree() { yaml::wipe(root_); }
  const yaml::Node& root() const { return root_; }

 private:
  yaml::Node root_;
};

tl::unexpected<Error> refused(std::string_view what) {
  return fail(Errc::invalid, fmt::format("kubeconfig: {}", what));
}

/// The mapping below `key` of the entry called `name` in a list such as "clusters"; with an empty
/// name the only entry.
const yaml::Node* named(const yaml::Node& root, std::string_view list, std::string_view key,
                        std::string_view name) {
  const yaml::Node* items = root.find(list);
  if (!items || !items->is_sequence()) return nullptr;
  if (name.empty()) return items->items.size() == 1 ? items->items.front().find(key) : nullptr;
  for (const yaml::Node& item : items->items) {
    const yaml::Node* called = item.find("name");
    if (called && called->as_text() == name) return item.find(key);
  }
  return nullptr;
}

std::string_view text_of(const yaml::Node& node, std::string_view key) {
  const yaml::Node* value = node.find(key);
  return value ? value->as_text().value_or(std::string_view{}) : std::string_view{};
}

/// Keys that are not in `allowed`; the first one is named.
std::string_view unexpected_key(const yaml::Node& node,
                                std::initializer_list<std::string_view> allowed) {
  for (const yaml::Entry& entry : node.entries) {
    if (std::find(allowed.begin(), allowed.end(), entry.key.text) == allowed.end()) {
      return entry.key.text;
    }
  }
  return {};
}

Result<void> read_server(std::string_view server, KubeAccess& access) {
  constexpr std::string_view scheme = "https://";
  if (!server.starts_with(scheme)) return refused("the server is not reached by https");
  std::string_view rest = server.substr(scheme.size());
  rest = rest.substr(0, rest.find('/'));
  const bool bracketed = rest.starts_with('[');
  const std::size_t host_end = bracketed ? rest.find(']') : rest.find(':');
  if (bracketed && host_end == std::string_view::npos) return refused("the server has no host");
  access.host = rest.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0));
  std::string_view port = host_end == std::string_view::npos
                              ? std::string_view{}
                              : rest.substr(host_end + (bracketed ? 1 : 0));
  if (port.starts_with(':')) port.remove_prefix(1);
  if (access.host.empty()) return refused("the server has no host");
  access.port = 443;
  if (port.empty()) return {};
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), access.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return refused("the server's port is not a number");
  }
  return {};
}

Result<std::string> decoded(const yaml::Node& node, std::string_view key) {
  auto bytes = pki::from_base64(text_of(node, key));
  if (!bytes || bytes->empty()) return refused(fmt::format("{} is missing or no base64", key));
  return *std::move(bytes);
}

Result<void> read_user(const yaml::Node& user, KubeAccess& access) {
  const std::string_view odd =
      unexpected_key(user, {"client-certificate-data", "client-key-data", "token"});
  if (!odd.empty()) return refused(fmt::format("users[].user.{} is not taken", odd));
  if (user.find("token")) {
    access.token = SecretString(std::string(text_of(user, "token")));
    return {};
  }
  auto certificate = decoded(user, "client-certificate-data");
  if (!certificate) return forward_error(certificate);
  auto key = decoded(user, "client-key-data");
  if (!key) return forward_error(key);
  access.client_cert_pem = *std::move(certificate);
  access.client_key_pem = SecretString(*std::move(key));
  return {};
}

}  // namespace

Result<KubeAccess> read_kubeconfig(const SecretString& text) {
  auto document = yaml::parse_single(text.reveal(), "kubeconfig");
  if (!document) return fail(Errc::invalid, document.error().message());
  const WipedTree tree(std::move(document->root));
  const yaml::Node& root = tree.root();
  const yaml::Node* context = named(root, "contexts", "context", text_of(root, "current-context"));
  if (!context) return refused("there is no current context");
  const yaml::Node* cluster = named(root, "clusters", "cluster", text_of(*context, "cluster"));
  const yaml::Node* user = named(root, "users", "user", text_of(*context, "user"));
  if (!cluster || !user) return refused("the current context names no cluster or no user");
  const std::string_view odd = unexpected_key(*cluster, {"server", "certificate-authority-data"});
  if (!odd.empty()) return refused(fmt::format("clusters[].cluster.{} is not taken", odd));
  KubeAccess access;
  if (auto read = read_server(text_of(*cluster, "server"), access); !read) {
    return forward_error(read);
  }
  auto authority = decoded(*cluster, "certificate-authority-data");
  if (!authority) return forward_error(authority);
  access.ca_pem = *std::move(authority);
  if (auto read = read_user(*user, access); !read) return forward_error(read);
  return access;
}

}  // namespace ichor
