#include <fmt/format.h>

#include "machineconfig/migrate/mover.h"

namespace ichor::migrate {

namespace {

constexpr std::string_view kDiscoveryEndpoint = "https://discovery.talos.dev/";

yaml::Node provider(std::string_view cipher, std::string_view key, const yaml::Node& secret) {
  const yaml::Node entry = yaml::map().set("name", key).set("secret", secret.text);
  return yaml::map().set(cipher, yaml::map().set("keys", yaml::list({entry})));
}

/// The names of the keys are those of the old form: what is stored stays readable.
void move_etcd_encryption(Mover& mover) {
  if (mover.worker()) {
    mover.take({"cluster", "secretboxEncryptionSecret"});
    mover.take({"cluster", "aescbcEncryptionSecret"});
    return;
  }
  const auto box = mover.take({"cluster", "secretboxEncryptionSecret"});
  const auto aes = mover.take({"cluster", "aescbcEncryptionSecret"});
  std::vector<yaml::Node> providers;
  if (box && !box->text.empty()) providers.push_back(provider("secretbox", "key2", *box));
  if (aes && !aes->text.empty()) providers.push_back(provider("aescbc", "key1", *aes));
  if (providers.empty()) return;
  providers.push_back(yaml::map().set("identity", yaml::map()));
  const yaml::Node resource = yaml::map()
                                  .set("providers", yaml::list(std::move(providers)))
                                  .set("resources", yaml::list({std::string("secrets")}));
  put(mover.document("KubeEtcdEncryptionConfig"), "config",
      yaml::map().set("resources", yaml::list({resource})));
}

void move_discovery(Mover& mover) {
  auto discovery = mover.take({"cluster", "discovery"});
  if (!discovery) return;
  const yaml::Node* enabled = discovery->find("enabled");
  const yaml::Node* service_off = discovery->find_path({"registries", "service", "disabled"});
  const yaml::Node* endpoint = discovery->find_path({"registries", "service", "endpoint"});
  const yaml::Node* kubernetes_off = discovery->find_path({"registries", "kubernetes", "disabled"});
  const bool on =
      enabled && enabled->text == "true" && !(service_off && service_off->text == "true");
  if (on) {
    put(mover.document("DiscoveryServiceConfig", "default"), "endpoint",
        endpoint && !endpoint->text.empty() ? *endpoint : yaml::make_string(kDiscoveryEndpoint));
  } else if (mover.patch() && enabled) {
    mover.delete_document("DiscoveryServiceConfig", "default");
  }
  const bool kubernetes_on = kubernetes_off && kubernetes_off->text == "false";
  if (kubernetes_on) {
    mover.warn({"cluster", "discovery"},
               "the Kubernetes registry of discovery has no typed form in Talos 1.14",
               "the discovery service serves instead; it does not work with Kubernetes 1.32 and "
               "later anyway");
  }
}

void move_service_account(Mover& mover) {
  const yaml::Node* endpoint = mover.peek({"cluster", "controlPlane", "endpoint"});
  const yaml::Node* typed = mover.find_document("KubeClusterConfig");
  const yaml::Node* url = endpoint ? endpoint : typed ? typed->find("endpoint") : nullptr;
  if (mover.worker()) {
    mover.take({"cluster", "serviceAccount"});
    return;
  }
  if (!mover.has({"cluster", "serviceAccount"})) return;
  if (!url) {
    mover.refuse({"cluster", "serviceAccount"},
                 "the endpoint that issues tokens is not in this file",
                 "write cluster.controlPlane.endpoint into the same file");
    return;
  }
  const yaml::Node issuer_url = *url;
  auto account = mover.take({"cluster", "serviceAccount"});
  const yaml::Node* key = account->find("key");
  if (!key) return;
  put(mover.document("KubeServiceAccountConfig"), "issuer",
      yaml::map().set("privateKey", decoded_pem(*key)).set("issuerURL", issuer_url));
}

yaml::Node or_list(std::optional<yaml::Node> value, std::string_view otherwise) {
  if (value && !value->items.empty()) return *std::move(value);
  return yaml::list({std::string(otherwise)});
}

void move_subnets(Mover& mover) {
  if (!mover.has({"cluster", "network"}) &&
      (mover.patch() || mover.find_document("KubeNetworkConfig"))) {
    return;
  }
  auto domain = mover.take({"cluster", "network", "dnsDomain"});
  auto pods = mover.take({"cluster", "network", "podSubnets"});
  auto services = mover.take({"cluster", "network", "serviceSubnets"});
  if (mover.patch()) {
    if (!domain && !pods && !services) return;
    yaml::Node& document = mover.document("KubeNetworkConfig");
    if (domain && !domain->text.empty()) put(document, "dnsDomain", *domain);
    if (pods) put(document, "podSubnets", *pods);
    if (services) put(document, "serviceSubnets", *services);
    return;
  }
  yaml::Node& document = mover.document("KubeNetworkConfig");
  const bool named = domain && !domain->text.empty();
  put(document, "dnsDomain", named ? *domain : yaml::make_string("cluster.local"));
  put(document, "podSubnets", or_list(std::move(pods), "10.244.0.0/16"));
  put(document, "serviceSubnets", or_list(std::move(services), "10.96.0.0/12"));
}

}  // namespace

void move_identity(Mover& mover) {
  const bool whole = mover.has({"cluster", "id"}) && mover.has({"cluster", "secret"});
  if (whole || mover.patch()) {
    for (const auto& [old_key, key] : {std::pair("id", "clusterID"), {"secret", "clusterSecret"}}) {
      if (auto value = mover.take({"cluster", old_key})) {
        put(mover.document("DiscoveryIdentityConfig"), key, *std::move(value));
      }
    }
  }
  move_discovery(mover);
  move_etcd_encryption(mover);
}

void move_cluster(Mover& mover) {
  move_service_account(mover);
  const bool named = !mover.text({"cluster", "clusterName"}).empty();
  const bool reached = mover.has({"cluster", "controlPlane", "endpoint"});
  if (!mover.patch() && reached && !named) {
    mover.warn({"cluster", "clusterName"},
               "the cluster has no name, which KubeClusterConfig needs, so name and endpoint keep "
               "their old form",
               "set cluster.clusterName and run this command again");
  } else if (named || reached) {
    yaml::Node& document = mover.document("KubeClusterConfig");
    mover.move({"cluster", "clusterName"}, document, "clusterName");
    mover.move({"cluster", "controlPlane", "endpoint"}, document, "endpoint");
  }
  if (auto ca = mover.take({"cluster", "ca"})) {
    yaml::Node& document = mover.document("KubeAPIServerCAConfig");
    yaml::Node pair = certificate_and_key(*ca);
    if (mover.worker()) {
      put(document, "acceptedCAs", yaml::list({*pair.find("cert")}));
    } else {
      put(document, "issuingCA", std::move(pair));
    }
  }
  if (auto accepted = mover.take({"cluster", "acceptedCAs"})) {
    yaml::Node& document = mover.document("KubeAPIServerCAConfig");
    std::vector<yaml::Node> all;
    if (const yaml::Node* own = document.find("acceptedCAs")) all = own->items;
    for (const yaml::Node& item : accepted->items) {
      if (const yaml::Node* certificate = item.find("crt"))
        all.push_back(decoded_pem(*certificate));
    }
    put(document, "acceptedCAs", yaml::list(std::move(all)));
  }
  if (auto aggregator = mover.take({"cluster", "aggregatorCA"}); aggregator && !mover.worker()) {
    put(mover.document("KubeAggregatorCAConfig"), "issuingCA", certificate_and_key(*aggregator));
  }
  move_subnets(mover);
}

}  // namespace ichor::migrate
