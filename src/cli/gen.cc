#include <fmt/format.h>

#include "base/words.h"
#include "cli/command_list.h"

namespace ichor {

namespace {

FlagSet::Take append_to(std::vector<std::string>& list) {
  return [&list](const std::string& text) {
    list.push_back(text);
    return std::string();
  };
}

/// The text may be empty.
FlagSet::Take store_in(std::string& target) {
  return [&target](const std::string& text) {
    target = text;
    return std::string();
  };
}

/// "a,b" adds two.
FlagSet::Take append_list_to(std::vector<std::string>& list) {
  return [&list](const std::string& text) {
    for (std::string& part : split_list(text)) list.push_back(std::move(part));
    return std::string();
  };
}

void declare_force(FlagSet& flags, bool& force) { flags.flag("-f,--force", force); }

/// "v1.12", "1.12" or "v1.12.6"; the rest is checked where contracts are known.
void declare_talos_version(FlagSet& flags, std::string& version) {
  flags.text("--talos-version", "VERSION", version);
}

std::string take_mirror(const std::string& text, GenConfigRequest& config) {
  for (const std::string& part : split_list(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      return fmt::format("\"{}\" is not a HOST=URL such as docker.io=https://mirror.example", part);
    }
    config.registry_mirrors.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return {};
}

std::string take_outputs(const std::string& text, GenConfigRequest& config) {
  for (const std::string& part : split_list(text)) {
    if (part == "controlplane") {
      config.outputs.push_back(GenOutput::controlplane);
    } else if (part == "worker") {
      config.outputs.push_back(GenOutput::worker);
    } else if (part == "talosconfig") {
      config.outputs.push_back(GenOutput::talosconfig);
    } else {
      return fmt::format("\"{}\" is not one of controlplane, worker, talosconfig", part);
    }
  }
  return {};
}

void declare_config_content(FlagSet& flags, GenConfigRequest& config) {
  flags.text("--kubernetes-version", "VERSION", config.kubernetes_version);
  flags.value("--install-disk", "DISK", store_in(config.install_disk));
  flags.value("--install-image", "IMAGE", [&config](const std::string& text) {
    config.install_image = text;
    return std::string();
  });
  flags.value("--dns-domain", "DOMAIN", store_in(config.dns_domain));
  flags.value("--additional-sans", "LIST", append_list_to(config.additional_sans),
              FlagSet::Times::many);
  flags.value(
      "--registry-mirror", "HOST=URL",
      [&config](const std::string& text) { return take_mirror(text, config); },
      FlagSet::Times::many);
  flags.toggle("--persist", config.persist);
  flags.toggle("--with-cluster-discovery", config.with_cluster_discovery);
  flags.toggle("--with-kubespan", config.with_kubespan);
  flags.toggle("--skip-k8s-etcd", config.skip_k8s_etcd);
  flags.toggle("--with-docs", config.with_docs);
  flags.toggle("--with-examples", config.with_examples);
  flags.value("--config-patch", "PATCH", append_to(config.patches), FlagSet::Times::many);
  flags.value("--config-patch-control-plane", "PATCH", append_to(config.control_plane_patches),
              FlagSet::Times::many);
  flags.value("--config-patch-worker", "PATCH", append_to(config.worker_patches),
              FlagSet::Times::many);
}

}  // namespace

void declare_gen_secrets(FlagSet& flags, Request& request) {
  GenSecretsRequest& secrets = request.emplace<GenSecretsRequest>();
  flags.text("-o,--output,--output-file", "FILE", secrets.output);
  flags.text("--from-controlplane-config", "FILE", secrets.from_controlplane_config);
  declare_talos_version(flags, secrets.talos_version);
  declare_force(flags, secrets.force);
}

void declare_gen_config(FlagSet& flags, Request& request) {
  GenConfigRequest& config = request.emplace<GenConfigRequest>();
  flags.argument("NAME", FlagSet::Need::optional, [&config](const std::string& text) {
    config.cluster_name = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  });
  flags.argument("ENDPOINT", FlagSet::Need::optional, [&config](const std::string& text) {
    config.endpoint = text;
    const bool url = text.starts_with("https://") && !text.ends_with("://");
    return url ? std::string()
               : fmt::format("\"{}\" is not a URL such as https://192.168.22.100:6443", text);
  });
  flags.text("--from", "FILE", config.from);
  flags.rule([&config]() -> std::string {
    if (config.from.empty()) return config.endpoint.empty() ? "needs NAME and ENDPOINT" : "";
    return config.cluster_name.empty() ? "" : "--from says the name and the endpoint";
  });
  flags.text("--with-secrets", "FILE", config.with_secrets);
  declare_talos_version(flags, config.talos_version);
  declare_config_content(flags, config);
  flags.value("--version", "VERSION", [](const std::string& text) {
    return text == "v1alpha1" ? std::string() : fmt::format("\"{}\" is not v1alpha1", text);
  });
  flags.value(
      "-t,--output-types", "TYPES",
      [&config](const std::string& text) { return take_outputs(text, config); },
      FlagSet::Times::many);
  flags.text("-o,--output,--output-dir", "FILE|DIR|-", config.output);
  declare_force(flags, config.force);
  flags.rule([&config]() -> std::string {
    const bool several = config.outputs.size() != 1;
    return several && config.output == "-" ? "several outputs need a folder; -o - takes one" : "";
  });
}

void declare_gen_talosconfig(FlagSet& flags, Request& request) {
  GenTalosconfigRequest& config = request.emplace<GenTalosconfigRequest>();
  flags.argument("NAME", FlagSet::Need::required, [&config](const std::string& text) {
    config.cluster_name = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  });
  flags.text("--with-secrets", "FILE", config.with_secrets);
  flags.value("-e,--endpoints", "LIST", append_list_to(config.endpoints), FlagSet::Times::many);
  flags.value("-n,--nodes", "LIST", append_list_to(config.nodes), FlagSet::Times::many);
  flags.value("--roles", "LIST", [&config](const std::string& text) {
    config.roles = split_list(text);
    return config.roles.empty() ? std::string("names no role") : std::string();
  });
  flags.number("--crt-ttl-hours", "N", 1, 87'600,
               [&config](std::int64_t hours) { config.lifetime = std::chrono::hours(hours); });
  flags.text("-o,--output", "FILE|-", config.output);
  declare_force(flags, config.force);
  flags.rule([&config]() -> std::string {
    return config.with_secrets.empty() ? "needs --with-secrets FILE" : "";
  });
}

}  // namespace ichor
