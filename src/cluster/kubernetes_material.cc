#include "cluster/kubernetes_material.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/argument.h"
#include "cluster/sealed_secrets_key.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/manifests.h"
#include "phase/kubernetes/release.h"
#include "secrets/age_keys.h"
#include "secrets/base64.h"
#include "secrets/sops_file.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr int kDepthMax = 8;

/// Everything that other programs may see of our environment, besides PATH and HOME.
constexpr const char* kVariables[] = {"HELM_CACHE_HOME",
                                      "HELM_CONFIG_HOME",
                                      "HELM_DATA_HOME",
                                      "HELM_REGISTRY_CONFIG",
                                      "HELM_REPOSITORY_CONFIG",
                                      "HELM_REPOSITORY_CACHE",
                                      "XDG_CACHE_HOME",
                                      "XDG_CONFIG_HOME",
                                      "XDG_DATA_HOME",
                                      "HTTP_PROXY",
                                      "HTTPS_PROXY",
                                      "NO_PROXY",
                                      "http_proxy",
                                      "https_proxy",
                                      "no_proxy",
                                      "SSL_CERT_FILE",
                                      "SSL_CERT_DIR",
                                      "LANG",
                                      "HELMFILE_CACHE_HOME",
                                      "OP_SERVICE_ACCOUNT_TOKEN",
                                      "OP_CONNECT_HOST",
                                      "OP_CONNECT_TOKEN",
                                      "OP_ACCOUNT",
                                      "SOPS_AGE_KEY",
                                      "SOPS_AGE_KEY_FILE",
                                      "TMPDIR"};

class Loader {
 public:
  Loader(const ProfileInput& input, ClusterState& state, Host& host)
      : state_(state), host_(host), root_(root_of(input, host)) {
    material_.plan = *input.profile.kubernetes;
  }

  void load(const MaterialOptions& options) {
    resolve();
    if (options.first <= 0) {
      load_namespaces();
      load_secrets();
      add_secret_namespaces();
    }
    if (options.first <= 1 && options.last >= 1) load_crds();
    // Phase 1 compares versions with the releases.
    if (options.last >= 1 && options.first <= 2) load_releases();
    if (options.last >= 2 && options.first <= 2) load_sealed_key();
    for (const char* name : kVariables) {
      if (auto value = host_.environment.variable(name))
        material_.environment[name] = *std::move(value);
    }
  }

  KubernetesMaterial& material() { return material_; }
  std::vector<Finding>& findings() { return findings_; }

 private:
  static std::string root_of(const ProfileInput& input, Host& host) {
    const std::string& root = input.profile.kubernetes->root;
    if (root.starts_with('/')) return root;
    const std::string path = input.folder + (root == "." ? "" : root);
    return host.files.absolute(path.empty() ? "." : path);
  }

  std::string at_root(const std::string& path) const {
    return path.empty() || path.starts_with('/') ? path : root_ + "/" + path;
  }
  void resolve(std::string& path) const { path = at_root(path); }

  void resolve() {
    KubernetesPlan& plan = material_.plan;
    plan.root = root_;
    resolve(plan.namespaces.tree);
    for (std::string& file : plan.secret_manifests) resolve(file);
    resolve(plan.onepassword.connect_token_file);
    resolve(plan.crds.helmfile);
    for (std::string& folder : plan.crds.dirs) resolve(folder);
    for (KubernetesPlan::Chart& chart : plan.crds.charts) resolve_chart(chart);
    resolve(plan.core.helmfile);
    for (KubernetesPlan::Release& release : plan.core.releases) {
      resolve_chart(release.chart);
      resolve(release.from);
    }
    resolve(plan.flux.kustomize_root);
  }

  /// A chart that is a folder below the root; others are helm's to find.
  void resolve_chart(KubernetesPlan::Chart& chart) {
    const std::string folder = at_root(chart.chart);
    if (!chart.chart.empty() && host_.files.has_file(folder + "/Chart.yaml")) {
      chart.chart = folder;
      if (chart.version.empty()) chart.version = version_in(folder + "/Chart.yaml");
      if (!is_argument_value(chart.version)) {
        missing(folder + "/Chart.yaml", fmt::format("its version must be {}", kArgumentValue),
                "correct the version of the chart");
      }
    }
    for (std::string& file : chart.values) resolve(file);
  }

  std::string version_in(const std::string& file) {
    const auto text = host_.files.read_input(file);
    if (!text) return {};
    const auto documents = yaml::parse(*text, file);
    if (!documents || documents->empty()) return {};
    return text_at(json_of(documents->front().root), {"version"});
  }

  void missing(const std::string& where, std::string what, std::string fix) {
    Finding finding;
    finding.id = "K4";
    finding.where = where;
    finding.what = std::move(what);
    finding.fix = std::move(fix);
    findings_.push_back(std::move(finding));
  }

  void load_namespaces() {
    std::set<std::string> names(material_.plan.namespaces.names.begin(),
                                material_.plan.namespaces.names.end());
    const std::string& tree = material_.plan.namespaces.tree;
    if (!tree.empty()) {
      const auto entries = host_.files.list_folder(tree);
      if (!entries) missing(tree, "there is no such folder", "correct phases.namespaces.tree");
      for (const std::string& entry : entries.value_or(std::vector<std::string>())) {
        if (host_.files.list_folder(tree + "/" + entry)) names.insert(entry);
      }
    }
    for (const std::string& name : names) add_namespace(name);
  }

  void add_namespace(const std::string& name) {
    KubeObject object{{"apiVersion", "v1"}, {"kind", "Namespace"}};
    object["metadata"]["name"] = name;
    material_.namespaces.push_back(std::move(object));
  }

  /// A Secret cannot be there before its namespace.
  void add_secret_namespaces() {
    std::set<std::string> names;
    for (const KubeObject& secret : material_.secrets) names.insert(namespace_in(secret));
    for (const auto& item : material_.plan.secrets) names.insert(item.name_space);
    const KubernetesPlan::SealedSecrets& sealed = material_.plan.sealed_secrets;
    if (sealed.wanted) names.insert(sealed.name_space);
    for (const KubeObject& known : material_.namespaces) names.erase(name_in(known));
    for (const std::string& name : names) add_namespace(name);
  }

  void load_secrets() {
    for (const std::string& file : material_.plan.secret_manifests) load_manifest(file);
    for (const KubernetesPlan::SecretItem& item : material_.plan.secrets) load_item(item);
    load_connect_token();
  }

  void load_sealed_key() {
    const KubernetesPlan::SealedSecrets& sealed = material_.plan.sealed_secrets;
    if (!sealed.wanted) return;
    if (auto added = add_sealed_secrets_key(sealed, state_, material_, host_); !added) {
      missing("phases.secrets.sealed_secrets", added.error().message,
              "make an age key with age-keygen, and name it in SOPS_AGE_KEY_FILE");
    }
  }

  void load_manifest(const std::string& file) {
    constexpr const char* fix = "encrypt it with sops to a key that you have";
    const auto text = read_secret_file(file, host_);
    if (!text) return missing(file, text.error().message, fix);
    auto objects = objects_of(text->reveal(), file);
    if (!objects) return missing(file, objects.error().message, fix);
    for (KubeObject& object : *objects) {
      if (text_at(object, {"kind"}) != "Secret" || namespace_in(object).empty()) {
        missing(file, fmt::format("{} is not a Secret with a namespace", to_text(ref_of(object))),
                "phases.secrets.manifests takes Secrets only, each with metadata.namespace");
        continue;
      }
      material_.secrets.push_back(encoded_secret(std::move(object)));
    }
  }

  void load_item(const KubernetesPlan::SecretItem& item) {
    if (!item.onepassword.empty()) return;  // phase 0 asks 1Password itself
    KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", item.type}};
    secret["metadata"]["name"] = item.name;
    secret["metadata"]["namespace"] = item.name_space;
    if (!item.age_key.empty()) {
      const AgeKeys keys = find_age_keys({}, host_);
      if (keys.identities.own.empty()) {
        return missing("phases.secrets.items." + item.name, "there is no age key: " + keys.text(),
                       "make one with age-keygen, and name it in SOPS_AGE_KEY_FILE");
      }
      std::string text;
      for (const age::Identity& identity : keys.identities.own) {
        text += std::string(identity.text().reveal()) + "\n";
      }
      secret["data"][item.age_key] = pki::base64(text);
    }
    for (const auto& [key, file] : item.files) {
      const auto text = read_secret_file(at_root(file), host_);
      if (!text) {
        missing(at_root(file), text.error().message,
                "encrypt it with sops, or make it readable by its owner only");
        continue;
      }
      secret["data"][key] = pki::base64(text->reveal());
    }
    material_.secrets.push_back(std::move(secret));
  }

  void load_connect_token() {
    const KubernetesPlan::OnePassword& plan = material_.plan.onepassword;
    const bool wanted = plan.way == KubernetesPlan::OnePasswordWay::connect &&
                        std::any_of(material_.plan.secrets.begin(), material_.plan.secrets.end(),
                                    [](const auto& item) { return !item.onepassword.empty(); });
    if (!wanted) return;
    std::string token = host_.environment.variable("OP_CONNECT_TOKEN").value_or("");
    if (!plan.connect_token_file.empty()) {
      const auto text = read_secret_file(plan.connect_token_file, host_);
      if (!text) {
        return missing(plan.connect_token_file, text.error().message,
                       "put 1Password Connect's token there, readable by its owner only");
      }
      token = std::string(text->reveal());
    }
    while (token.ends_with('\n')) token.pop_back();
    if (token.empty()) {
      return missing("phases.secrets.onepassword", "there is no token for 1Password Connect",
                     "name a file in connect_token_file, or set OP_CONNECT_TOKEN");
    }
    material_.connect_token = SecretString(std::move(token));
  }

  void load_crds() {
    for (const std::string& folder : material_.plan.crds.dirs) load_folder(folder, 0);
    for (const KubernetesPlan::Chart& chart : material_.plan.crds.charts) {
      material_.chart_values[chart.chart] = values_of(chart.values);
    }
  }

  void load_folder(const std::string& folder, int depth) {
    const auto entries = host_.files.list_folder(folder);
    if (!entries || depth > kDepthMax) {
      return missing(folder, entries ? "it is too deep" : "there is no such folder",
                     "correct phases.crds.dirs");
    }
    for (const std::string& entry : *entries) {
      const std::string path = folder + "/" + entry;
      const bool is_text =
          entry.ends_with(".yaml") || entry.ends_with(".yml") || entry.ends_with(".json");
      if (host_.files.list_folder(path)) {
        load_folder(path, depth + 1);
      } else if (is_text) {
        load_crd_file(path);
      }
    }
  }

  void load_crd_file(const std::string& path) {
    const auto text = host_.files.read_input(path);
    auto objects =
        text ? objects_of(*text, path) : Result<std::vector<KubeObject>>(forward_error(text));
    if (!objects) return missing(path, objects.error().message, "fix the file");
    for (KubeObject& crd : only_kind(*std::move(objects), "CustomResourceDefinition")) {
      material_.crds.push_back(std::move(crd));
    }
  }

  KubeObject values_of(const std::vector<std::string>& files) {
    KubeObject values = KubeObject::object();
    for (const std::string& file : files) {
      auto text = host_.files.read_input(file);
      const auto plain = text ? open_if_sealed(SecretString(*std::move(text)), file, host_)
                              : Result<SecretString>(forward_error(text));
      if (!plain) {
        missing(file, plain.error().message, "correct the values of the release");
        continue;
      }
      const auto document = yaml::parse_single(plain->reveal(), file);
      if (!document) {
        missing(file, document.error().message(), "correct the values of the release");
        continue;
      }
      if (!document->root.is_null()) merge_values(values, json_of(document->root));
    }
    return values;
  }

  void load_releases() {
    for (const KubernetesPlan::Release& planned : material_.plan.core.releases) {
      WantedRelease release;
      release.chart = planned.chart.chart;
      release.version = planned.chart.version;
      release.plain_http = planned.chart.plain_http;
      if (!planned.from.empty()) {
        auto from_tree = read_tree(planned.from);
        if (!from_tree) {
          missing(planned.from, from_tree.error().message, "correct `from` of the release");
          continue;
        }
        release = *std::move(from_tree);
      }
      merge_values(release.values, values_of(planned.chart.values));
      release.name = planned.name;
      if (!planned.chart.name_space.empty()) release.name_space = planned.chart.name_space;
      release.needs = planned.needs;
      material_.releases.push_back(std::move(release));
    }
  }

  Result<WantedRelease> read_tree(const std::string& folder) {
    KubeObject helm_release;
    KubeObject repository;
    for (const char* name : {"helmrelease.yaml", "ocirepository.yaml"}) {
      const std::string path = fmt::format("{}/{}", folder, name);
      if (!host_.files.has_file(path)) continue;
      const auto text = host_.files.read_input(path);
      if (!text) return forward_error(text);
      auto objects = objects_of(*text, path);
      if (!objects) return forward_error(objects);
      for (KubeObject& object : *objects) {
        const std::string kind = text_at(object, {"kind"});
        if (kind == "HelmRelease") helm_release = std::move(object);
        if (kind == "OCIRepository") repository = std::move(object);
      }
    }
    if (helm_release.is_null()) return fail(Errc::invalid, folder + " has no helmrelease.yaml");
    auto release = release_of_tree(helm_release, repository, folder);
    if (!release) return release;
    const std::string local = at_root(release->chart);
    if (host_.files.has_file(local + "/Chart.yaml")) release->chart = local;
    return release;
  }

  ClusterState& state_;
  Host& host_;
  std::string root_;
  KubernetesMaterial material_;
  std::vector<Finding> findings_;
};

}  // namespace

OrEnd<KubernetesMaterial> load_material(const ProfileInput& input, ClusterState& state,
                                        const MaterialOptions& options, Host& host) {
  Loader loader(input, state, host);
  loader.load(options);
  if (!loader.findings().empty()) {
    RunResult result;
    result.exit = Exit::failed;
    result.verdict = "something that the phases need is missing; nothing was sent";
    result.findings = std::move(loader.findings());
    return tl::unexpected(std::move(result));
  }
  return std::move(loader.material());
}

}  // namespace ichor
