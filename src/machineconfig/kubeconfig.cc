#include "machineconfig/kubeconfig.h"

#include "pki/base64.h"
#include "pki/issue.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

yaml::Node named(std::string_view kind, yaml::Map content, const std::string& name) {
  return yaml::map().set(kind, std::move(content)).set("name", name);
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
  if (!client) return tl::unexpected(client.error());
  const std::string user = "admin@" + cluster_name;
  yaml::Map cluster =
      yaml::map()
          .set("server", server)
          .set("certificate-authority-data", pki::base64(kubernetes_ca.certificate));
  yaml::Map credentials = yaml::map()
                              .set("client-certificate-data", pki::base64(client->certificate))
                              .set("client-key-data", pki::base64(client->key.reveal()));
  yaml::Map context =
      yaml::map().set("cluster", cluster_name).set("namespace", "default").set("user", user);
  yaml::Node root =
      yaml::map()
          .set("apiVersion", "v1")
          .set("kind", "Config")
          .set("clusters", yaml::list({named("cluster", std::move(cluster), cluster_name)}))
          .set("users", yaml::list({named("user", std::move(credentials), user)}))
          .set("contexts", yaml::list({named("context", std::move(context), user)}))
          .set("current-context", user);
  SecretString text(yaml::emit(root));
  yaml::wipe(root);
  return text;
}

}  // namespace ichor
